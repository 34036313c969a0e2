"""C -> IR: the round trip through the printer computes what the original computes; what cannot be taken is said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from corpus import FOLDER, load_corpus
from round_trip import Trip, differences

from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.c_printer import print_function
from cudaperf_magic.compiler.loops import Const, Function, Load, Loop, Name, While, loops_of, walk
from cudaperf_magic.errors import TaskError, UsageError

CASES = Path(__file__).parent / "c_cases"
WHOLE = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "short")


def body_of(source: str, **options: object) -> str:
    """The round trip's text of the function, without what stands above it."""
    return print_function(read(source, **options)).split("<stdlib.h>\n\n")[1]  # type: ignore[arg-type]


def loops(source: str) -> list[Loop]:
    return list(loops_of(read(source).body))


def refusal(source: str, entry: str | None = None) -> str:
    with pytest.raises(TaskError) as caught:
        read(source, entry)
    return str(caught.value)


def scalar_cases(function: Function) -> tuple[dict[str, float], ...]:
    """Sizes from zero up, later scalars smaller than the first, so that n * m is not square."""
    names = [p.name for p in function.parameters if not p.is_array and p.type in WHOLE]
    return tuple({name: max(n - at, 1) for at, name in enumerate(names)} for n in (1, 2, 5, 8, 13))


# ------------------------------------------------------------- the round trip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["loops", "pointers", "expressions"])
def test_what_is_read_computes_what_the_c_computes(name: str, tmp_path: Path) -> None:
    sources = (CASES / f"{name}.c").read_text().split("\n//\n")
    trips = [Trip(s, f, scalar_cases(f)) for s in sources for f in [read(s)]]
    assert len(trips) > 30
    assert differences(trips, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({file.path.split("/")[0] for file in load_corpus()} - {"refused"}))
def test_every_function_of_the_corpus_survives_the_round_trip(kind: str, tmp_path: Path) -> None:
    files = [file for file in load_corpus() if file.path.startswith(f"{kind}/") and file.decision != "refused"]
    trips = []
    for file in files:
        where = str(file.file.parent)
        function = read(file.source, file.entry, folders=(where,))
        trips.append(Trip(file.source, function, tuple(file.sizes[:3]), dict(file.ranges), where))
    assert differences(trips, tmp_path) == []


def test_reading_the_round_trip_again_gives_the_same_ir() -> None:
    for file in load_corpus(FOLDER):
        if file.path.startswith(("stencils/", "matmul/", "solvers/")):
            once = print_function(read(file.source, file.entry))
            assert print_function(read(once, file.entry)) == once, file.path


# -------------------------------------------------------------------- loops


@pytest.mark.parametrize(
    ("loop", "start", "stop", "step"),
    [
        ("for (int i = 0; i < n; i++)", "0", "n", 1),
        ("for (int i = 0; i <= n - 1; ++i)", "0", "n", 1),
        ("for (int i = n - 1; i >= 0; i--)", "n - 1", "-1", -1),
        ("for (int i = n; i > 0; i -= 1)", "n", "0", -1),
        ("for (int i = n; i-- > 0;)", "n - 1", "-1", -1),
        ("for (int i = 0; i != n; i++)", "0", "n", 1),
        ("for (int i = 1; i < n; i = i + 2)", "1", "n", 2),
        ("for (int i = 0; i + 3 <= n; i += 4)", "0", "n - 2", 4),
        ("for (int i = 0; n > i; i = 1 + i)", "0", "n", 1),
    ],
)
def test_a_counted_for_loop_has_its_range(loop: str, start: str, stop: str, step: int) -> None:
    from cudaperf_magic.compiler.c_printer import print_expression

    (found,) = loops(f"void f(int n, int *x) {{ {loop} x[i] = 0; }}")
    assert (print_expression(found.start), print_expression(found.stop), found.step) == (start, stop, step)


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; while (i < n) { x[i] = 1; i++; }",
        "while (n--) x[n] = 1;",
        "while (n-- > 0) x[n] = 1;",
        "while (--n >= 0) x[n] = 1;",
        "int i = -1; while (++i < n) x[i] = 1;",
        "for (int i = 0; ; i++) { if (i >= n) break; x[i] = 1; }",
        "int *end = x + n; for (int *p = x; p != end; p++) *p = 1;",
        "for (int i = 0, j = n - 1; i < j; i++, j--) x[i] = x[j];",
    ],
)
def test_a_while_loop_that_counts_becomes_a_counted_loop(body: str) -> None:
    function = read(f"void f(int n, int *x) {{ {body} }}")
    assert len(loops_of(function.body)) == 1
    assert not any(isinstance(statement, While) for statement in walk(function.body))


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 1; i < n; i *= 2) x[i] = 1;",
        "for (int i = 0; i < n; i++) if (x[i]) i++;",
        "for (int i = 0; i < n; i++) if (x[i]) n--;",
        "for (int i = 0; i < x[0]; i++) x[i] = 1;",
        "for (int i = 0; i < n; i += x[1]) x[0] = 1;",
        "int i = 0; while (i < n) { if (x[i]) continue; i++; }",
        "for (unsigned char c = 0; c < 256; c++) if (x[c]) return;",
        "for (unsigned i = n; i >= 0; i--) if (x[i]) return;",
    ],
)
def test_a_loop_that_is_not_counted_stays_a_while(body: str) -> None:
    function = read(f"void f(int n, int *x) {{ {body} }}")
    assert any(isinstance(statement, While) for statement in walk(function.body))


def test_a_pointer_walk_becomes_subscripts() -> None:
    text = body_of("void f(int n, const float *x, float *y) { while (n--) *y++ = *x++; }")
    assert "y[n - 1 - n_left] = x[n - 1 - n_left];" in text


def test_a_running_index_over_two_loops_becomes_a_product() -> None:
    text = body_of("void f(int n, int m, int *x) { int k = 0; for (int i = 0; i < n; i++) "
                   "for (int j = 0; j < m; j++) x[k++] = 1; }")  # fmt: skip
    assert "x[i * m + j] = 1;" in text


def test_a_loop_variable_that_is_not_read_later_leaves_no_trace() -> None:
    text = body_of("void f(int n, int *x) { int i; for (i = 0; i < n; i++) x[i] = i; }")
    assert "int i;" not in text and "for (int i = 0; i < n; i++)" in text


def test_a_loop_variable_read_after_its_loop_gets_its_final_value() -> None:
    text = body_of("int f(int n, int *x) { int i; for (i = 0; i < n; i++) x[i] = i; return i; }")
    assert "int i_end = n > 0 ? n : 0;" in text and "return i_end;" in text


def test_labels_are_unique_and_named_after_the_loop_variables() -> None:
    found = loops(
        "void f(int n, int *x) { for (int i = 0; i < n; i++) x[i] = 0; for (int i = 1; i < n; i++) x[i] = 1; }"
    )
    assert [(loop.var, loop.label) for loop in found] == [("i", "i"), ("i", "i_2")]


def test_double_buffers_become_the_parity_of_the_time_step() -> None:
    text = body_of(
        "void f(int n, int steps, float *a, float *b) { for (int t = 0; t < steps; t++) {"
        " for (int i = 0; i < n; i++) b[i] = a[i]; float *s = a; a = b; b = s; } }"
    )
    assert "if (t % 2 == 0)" in text and "b[i] = a[i];" in text and "a[i] = b[i];" in text


# ----------------------------------------------------------- names, constants


def test_numeric_macros_keep_their_names_and_function_macros_do_not() -> None:
    function = read("#define N 8\n#define HALF (N / 2)\n#define SQ(v) ((v) * (v))\n"
                    "void f(float x[N]) { for (int i = 0; i < HALF; i++) x[i] = SQ(x[i]); }")  # fmt: skip
    assert function.constants == (("N", "int", "8"), ("HALF", "int", "(N / 2)"))
    assert function.parameters[0].shape == (Name("N"),)
    assert loops_of(function.body)[0].stop == Name("HALF")


@pytest.mark.parametrize("body", ["1 + 2", "(1) + (2)", "n", "- n"])
def test_a_macro_that_is_not_closed_in_itself_is_expanded_as_text(body: str) -> None:
    function = read(f"#define A {body}\nint f(int n, int m) {{ return m * A + n; }}")
    assert function.constants == ()


@pytest.mark.parametrize("body", ["3", "-1", "(1 + 2)", "1e-3f", "((2) * (3))", "0x1Fu", "1.5e+2"])
def test_a_macro_that_is_a_number_or_in_parentheses_keeps_its_name(body: str) -> None:
    function = read(f"#define A {body}\ndouble f(double m) {{ return m * A; }}")
    assert [name for name, _, _ in function.constants] == ["A"]


def test_a_macro_that_an_if_line_asks_for_is_expanded() -> None:
    function = read("#define N 8\n#if N > 4\n#define M 3\n#endif\nvoid f(float x[N]) { x[M] = N; }")
    assert function.parameters[0].shape == (Const("8"),)
    assert function.constants == (("M", "int", "3"),)


def test_defines_of_the_command_line_are_constants_too() -> None:
    function = read("#ifndef N\n#define N 4\n#endif\nvoid f(float x[N]) { x[0] = N; }", defines=("N=32",))
    assert function.constants == (("N", "int", "32"),)


def test_a_header_beside_the_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define ROWS 3\ntypedef double real;\n")
    function = read('#include "sizes.h"\nvoid f(real x[ROWS]) { x[0] = 1; }', folders=(str(tmp_path),))
    assert function.parameters[0].type == "double"


def test_comments_stay_with_their_statements() -> None:
    function = read("void f(int n, float *x) {\n    // scale\n    /* each one */\n"
                    '    for (int i = 0; i < n; i++)\n        x[i] *= 2; // "twice"\n}')  # fmt: skip
    (loop,) = loops_of(function.body)
    assert loop.comment == "scale\neach one" and loop.line == 4
    assert loop.body[0].comment == '"twice"'  # type: ignore[union-attr]


def test_a_scalar_written_through_a_pointer_has_one_element() -> None:
    function = read("void f(int n, const float *x, float *s) { *s = 0; for (int i = 0; i < n; i++) s[0] += x[i]; }")
    assert [p.shape for p in function.parameters] == [(), None, (Const("1"),)]


def test_globals_come_as_parameters_and_constant_arrays_as_tables() -> None:
    function = read("float A[4][5]; static const int t[] = {1, 2}; const float half = 0.5f; int unused[3];\n"
                    "void f(void) { for (int i = 0; i < 4; i++) A[i][0] = t[i % 2] * half; }")  # fmt: skip
    assert [(p.name, p.is_global) for p in function.parameters] == [("A", True)]
    assert [(t.name, t.shape) for t in function.tables] == [("t", (2,))]
    assert function.constants == (("half", "float", "0.5f"),)


def test_scalar_helpers_stay_and_helpers_on_memory_are_inlined() -> None:
    function = read("static float sq(float v) { return v * v; }\nstatic float two(float v) { return sq(v) + sq(1); }\n"
                    "static void put(float *x, int i, float v) { x[i] = two(v); }\n"
                    "void f(int n, float *x) { for (int i = 0; i < n; i++) put(x, i, 3); }")  # fmt: skip
    assert [helper.name for helper in function.helpers] == ["sq", "two"]
    assert "x[i] = two(" in print_function(function)


def test_double_functions_of_float_arguments_stay_double() -> None:
    assert "sqrt((double)x[0])" in body_of("#include <math.h>\ndouble f(const float *x) { return sqrt(x[0]); }")


def test_words_that_cuda_reserves_are_renamed() -> None:
    function = read("void f(int n, float *new) { for (int blockIdx = 0; blockIdx < n; blockIdx++) new[blockIdx] = 0; }")
    assert function.parameters[1].name == "new_2" and loops_of(function.body)[0].var == "blockIdx_2"


def test_struct_fields_are_places_of_their_own() -> None:
    function = read("struct v { float x, y; }; struct p { struct v at; int id; };\n"
                    "void f(int n, struct p *q) { for (int i = 0; i < n; i++) q[i].at.y = q->id; }")  # fmt: skip
    store = loops_of(function.body)[0].body[0]
    assert store.target == Load("q", (Name("i"),), "at.y")  # type: ignore[union-attr]
    assert [s.name for s in function.structs] == ["v", "p"]


# ----------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("int f(int a) {\n  return a\n}", "line 2: expected ';' after 'a'"),
        ("void f(int n, float *x) {\n  for (int i = 0; i < n; i++ {\n    x[i] = 0;\n  }\n}", "line 2: expected ')'"),
        ("void f(int n) {\n  if (n) {\n}\n", "'}' is missing"),
        ("void f(int n, float **A) { A[0][0] = n; }", "write it as a matrix, float A[n][m]"),
        ("void f(int n) {\n  goto end;\nend:;\n}", "line 2: goto"),
        ("int f(int n) { return n ? f(n - 1) : 0; }", "recursion"),
        ("#include <stdlib.h>\nvoid f(int n) {\n  float *x = malloc(n);\n}", "line 3: malloc"),
        ("#include <stdio.h>\nvoid f(int n) {\n\n  printf(\"%d\", n);\n}", "line 4: printf"),
        ("void f(float (*g)(float), float *x) { x[0] = g(x[0]); }", "function pointer"),
        ("void f(float *x) { asm(\"nop\"); x[0] = 0; }", "inline assembly"),
        ("int f(int n, ...) { return n; }", "'...'"),
        ("int f(void) {\n  static int calls = 0;\n  return ++calls;\n}", "line 2: static calls"),
        ("void f(volatile int *x) { x[0] = 1; }", "volatile"),
        ("void f(long double *x) { x[0] = 1; }", "use double"),
        ("void f(double _Complex *x) { x[0] = 1; }", "complex"),
        ("union u { int a; float b; };\nvoid f(union u *x) { x->a = 1; }", "union"),
        ("struct s { int a : 3; };\nvoid f(struct s *x) { x->a = 1; }", "bit-field a"),
        ("struct s { int a; };\nvoid f(struct s x, int *y) { y[0] = x.a; }", "struct passed by value"),
        ("void f(int n, float *data) {\n  daat[0] = n;\n}", "line 2: 'daat' is not declared; did you mean data?"),
        ("void f(int n, float *x) { x[0] = sqtr(n); }", "did you mean sqrt"),
        ("void f(int n, const float *x) { x[0] = n; }", "x is const"),
        ("void f(int n, float *x) {\n  while (1)\n    x[0] += n;\n}", "line 2: this loop never ends"),
        ("void f(int n, float *x) { unsigned *u = (unsigned *)x; u[0] = n; }", "read as another type"),
        ("void f(int n, float *x, float *y) { float *p = n ? x : y; p[0] = 1; }", "chosen by ?:"),
        ("void f(float *x) { x[0] = x[0] % 2; }", "'%' needs integers"),
        ("#include <nothing.h>\nvoid f(void) {}", "line 1: there is no header nothing.h"),
        ("/* never closed\nvoid f(void) {}", "line 1: this comment is never closed"),
        ("float g(float);\nvoid f(float *x) {\n  x[0] = g(1);\n}", "line 3: g is declared but its body is not here"),
        ("int x;", "there is no function"),
    ],
)
def test_what_cannot_be_taken_is_said_in_one_sentence(source: str, words: str) -> None:
    sentence = refusal(source)
    assert words in sentence and "\n" not in sentence


def test_several_functions_need_an_entry_that_the_sentence_names() -> None:
    source = "void a(float *x) { x[0] = 1; }\nvoid b(float *x) { x[0] = 2; }\nint main(void) { return 0; }"
    assert "(a, b)" in refusal(source) and "--entry" in refusal(source)
    assert read(source, "b").name == "b"
    with pytest.raises(UsageError, match="the functions here are a, b"):
        read(source, "c")


def test_the_function_that_no_other_calls_is_the_entry() -> None:
    source = "static int g(int v) { return v; }\nint f(int v) { return g(v); }\nint main() { return f(1); }"
    assert read(source).name == "f"


# ------------------------------------------------------------------ robustness


def mutated(rng: random.Random, source: str) -> str:
    """The source with one small piece gone, doubled or exchanged."""
    pieces = source.replace("(", " ( ").replace(")", " ) ").replace(";", " ; ").split(" ")
    at, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    change = rng.choice(("drop", "double", "exchange", "cut"))
    if change == "drop":
        pieces[at] = ""
    elif change == "double":
        pieces.insert(at, pieces[other])
    elif change == "exchange":
        pieces[at], pieces[other] = pieces[other], pieces[at]
    else:
        pieces = pieces[: max(at, 1)]
    return " ".join(pieces)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_damaged_sources_raise_one_sentence_or_are_read(seed: int) -> None:
    rng = random.Random(seed)
    files = [(CASES / f"{name}.c").read_text() for name in ("loops", "pointers", "expressions")]
    sources = [source for text in files for source in text.split("\n//\n")]
    for _ in range(60):
        source = mutated(rng, rng.choice(sources))
        try:
            print_function(read(source))
        except (TaskError, UsageError) as error:
            assert "\n" not in str(error), source


def test_headers_of_the_system_and_a_main_that_calls_unknown_functions_are_no_trouble() -> None:
    source = """#include <unistd.h>
    #include <sys/resource.h>
    #include <pthread.h>
    extern void *grab(long);
    void f(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }
    int main(void) { f(9, grab(36)); return getpid(); }"""
    assert [p.name for p in read(source, "f").parameters] == ["n", "x"]
