"""Library functions by name: the pure ones that are taken, with their types, and the others with why they are not.

Data only.
"""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


_ONE = _words(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    "atanh floor ceil trunc round rint nearbyint fabs erf erfc tgamma lgamma logb"
)
_TWO = _words("pow atan2 hypot fmod fmax fmin fdim copysign remainder nextafter")
_CLASSIFY = _words("isnan isinf isfinite signbit isnormal")
_CHARACTERS = _words("isdigit isalpha isalnum isupper islower isspace isxdigit ispunct toupper tolower")

# name -> (types of the parameters, type of the result)
BUILTINS: dict[str, tuple[tuple[str, ...], str]] = {}
for _suffix, _type in (("", "double"), ("f", "float")):
    for _name in _ONE:
        BUILTINS[_name + _suffix] = ((_type,), _type)
    for _name in _TWO:
        BUILTINS[_name + _suffix] = ((_type, _type), _type)
    BUILTINS["fma" + _suffix] = ((_type, _type, _type), _type)
    BUILTINS["ldexp" + _suffix] = ((_type, "int"), _type)
    BUILTINS["scalbn" + _suffix] = ((_type, "int"), _type)
    for _name in ("lrint", "lround"):
        BUILTINS[_name + _suffix] = ((_type,), "long")
    for _name in ("llrint", "llround"):
        BUILTINS[_name + _suffix] = ((_type,), "long long")
    BUILTINS["ilogb" + _suffix] = ((_type,), "int")
BUILTINS["abs"] = (("int",), "int")
BUILTINS["labs"] = (("long",), "long")
BUILTINS["llabs"] = (("long long",), "long long")

# Macros of <math.h> that take either floating type.
GENERIC: dict[str, int] = {name: 1 for name in _CLASSIFY}

RESULTS: dict[str, str] = {name: result for name, (_, result) in BUILTINS.items()} | {name: "int" for name in GENERIC}
BUILTINS |= {name: (("generic",), "int") for name in GENERIC}

MEMORY = ("memset", "memcpy", "memmove")

_IO = "input and output cannot be translated; fill an array and print it outside"
_HEAP = "memory cannot be allocated inside; pass the array as a parameter, or declare a local array"
_RANDOM = "it keeps hidden state; write a generator of your own that starts from the index"
_JUMP = "jumps across functions cannot be translated; return a status instead"
_SYSTEM = "calls of the operating system cannot be translated; do this outside"
_STRING = "strings of unknown length cannot be translated; pass the length and loop over it"

# name -> why it cannot be taken and what to do
REFUSED: dict[str, str] = {
    **dict.fromkeys(
        _words("printf fprintf sprintf snprintf puts putchar putc fputs fputc scanf fscanf sscanf fopen fclose fread "
               "fwrite fgets fgetc getchar getc fseek ftell fflush perror vprintf vfprintf gets rewind feof remove"),
        _IO,
    ),
    **dict.fromkeys(_words("malloc calloc realloc free alloca aligned_alloc posix_memalign strdup"), _HEAP),
    **dict.fromkeys(_words("rand srand random srandom drand48 lrand48 erand48 rand_r"), _RANDOM),
    **dict.fromkeys(_words("setjmp longjmp sigsetjmp siglongjmp _setjmp"), _JUMP),
    **dict.fromkeys(_words("time clock clock_gettime gettimeofday sleep usleep getenv system signal atexit"), _SYSTEM),
    **dict.fromkeys(_words("strlen strcpy strcat strcmp strncmp strncpy strchr strstr strtok memcmp memchr atoi "
                           "atof strtol strtod"), _STRING),
    **dict.fromkeys(_CHARACTERS, "it depends on the locale; compare with characters, as in c >= 'a' && c <= 'z'"),
    **dict.fromkeys(_words("exit abort _Exit quick_exit"), "the program cannot be ended from inside; return instead"),
    **dict.fromkeys(_words("qsort bsearch"), "they take a function pointer; write the sort as loops"),
    **dict.fromkeys(_words("frexp frexpf modf modff remquo remquof sincos sincosf"),
                    "it returns through a pointer; write what it computes"),
    **dict.fromkeys(_words("omp_get_thread_num omp_get_num_threads omp_get_wtime omp_set_num_threads"),
                    "threads are the translator's matter; remove the call"),
}  # fmt: skip
