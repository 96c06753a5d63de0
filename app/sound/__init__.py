"""Impacts of grains as short clicks: samples of sound from the energy that viscous terms dissipate, the track of a
film, and the sound of the window. A replay and the way to another step are silent."""
