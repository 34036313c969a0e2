"""Statements of a function replaced by others. Legality is the caller's."""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.compiler.loops import Comment, Function, If, Loop, Stmt, While


def worded(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Statements without the comments among them."""
    return tuple(s for s in body if not isinstance(s, Comment))


def exchanged(function: Function, found: tuple[Stmt, ...], made: tuple[Stmt, ...]) -> Function:
    """The function with neighbouring statements, found by identity, replaced by others."""

    def inside(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        at = next((k for k, s in enumerate(body) if s is found[0]), None)
        if at is not None:
            last = next(k for k, s in enumerate(body) if s is found[-1])
            return (*body[:at], *made, *body[last + 1 :])
        return tuple(on(statement) for statement in body)

    def on(statement: Stmt) -> Stmt:
        match statement:
            case Loop() | While():
                return replace(statement, body=inside(statement.body))
            case If():
                return replace(statement, then=inside(statement.then), other=inside(statement.other))
            case _:
                return statement

    return replace(function, body=inside(function.body))
