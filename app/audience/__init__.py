"""Phones of the audience, and the remote of the lecturer: what a small web server on the local network shows and takes.

The window switches a `Server` on (`server.py`): a thread with an event loop of its own, which runs a Starlette
application (`site.py`) under uvicorn. Both are imported in this thread only. Window and server share one `Exchange`
(`exchange.py`) and nothing else: the window publishes what the pages show, as data with messages, and takes the answers
and actions that have arrived, once per frame. What has arrived is bounded: one answer per phone, and few actions.

`network.py` chooses address and port, `protocol.py` limits connections, `limits.py` the rate of requests, `pages.py`
writes the pages in the language of the phone, from the files of `assets/audience`. `rounds.py` has the answers as the
window keeps them: histogram and table. `repose.app.ui.phones` is the only module that changes them.

A message of the audience is an answer to the present question and can be nothing else; the actions of the remote become
the same calls as buttons of the window, in the thread of the window. No text of a client is shown, logged or used as a
name. No socket is open before the user switches the server on.
"""
