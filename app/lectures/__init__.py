"""Lectures: what a file may contain, and the course of a step, in the window and in a film."""

from __future__ import annotations
