"""Returned values become a result parameter."""

from cudaperf_magic.compiler.c_printer import print_statements
from cudaperf_magic.compiler.loops import Assign, Binary, Const, Function, If, Load, Loop, Name, Parameter, Return
from cudaperf_magic.compiler.rewriting.returns import returns_to_result

N = Parameter("n", "int")
EMPTY = Binary("<=", Name("n"), Const("0"))


def test_a_value_returned_at_the_end_is_stored_to_the_result() -> None:
    function = returns_to_result(Function("f", (N,), (Return(Name("n")),), "int"))
    assert function.parameters[-1] == Parameter("result", "int", (Const("1"),))
    assert print_statements(function.body) == "result[0] = n;\n"


def test_an_early_return_puts_what_follows_into_the_other_branch() -> None:
    body = (If(EMPTY, (Return(Const("0")),)), Assign(Load("x", (Const("0"),)), "", Const("1")), Return(Name("n")))
    made = returns_to_result(Function("f", (N,), body, "int"))
    assert made.body == (
        If(
            EMPTY,
            (Assign(Load("result", (Const("0"),)), "", Const("0")),),
            (
                Assign(Load("x", (Const("0"),)), "", Const("1")),
                Assign(Load("result", (Const("0"),)), "", Name("n")),
            ),
        ),
    )


def test_a_return_inside_a_loop_still_leaves_after_its_store() -> None:
    loop = Loop("i", Const("0"), Name("n"), 1, (If(EMPTY, (Return(Name("i")),)),), "i")
    made = returns_to_result(Function("f", (N,), (loop, Return(Const("-1"))), "int"))
    text = print_statements(made.body)
    assert text.index("result[0] = i;") < text.index("return;") < text.index("result[0] = -1;")


def test_a_parameter_called_result_does_not_collide() -> None:
    function = Function("f", (Parameter("result", "int"),), (Return(Name("result")),), "int")
    assert returns_to_result(function).parameters[-1].name == "returned"
