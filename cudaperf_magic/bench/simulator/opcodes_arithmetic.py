"""Rows of the arithmetic opcodes: integers and bits, floating point, comparison, selection, moves, conversions."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.opcode_rows import COMPARE, FLOAT, INTEGER, MEMORY, MOVE, refused, rows

PTX, MATH, CONVERSIONS = "test_simulator_ptx.py", "test_simulator_math.py", "test_simulator_conversions.py"
PREDICATES = "test_simulator_predicates.py"
WHOLE = f"{PTX}::test_every_integer_opcode_gives_what_ptx_says"
REAL = f"{PTX}::test_every_floating_point_opcode_is_exact"
MIXED = f"{PTX}::test_sums_of_mixed_precision_are_exact"
CARRIES = f"{PTX}::test_carries_go_from_one_instruction_to_the_next"
BOUNDS = f"{MATH}::test_math_functions_are_within_the_bounds_of_the_guide"
COMBINED = f"{PREDICATES}::test_predicates_are_combined_as_setp_says"
PACKED = f"{PREDICATES}::test_moves_pack_and_unpack_and_scopes_hide_names"
TOLD = f"{PREDICATES}::test_floats_are_told_apart_and_chosen"
CLOSER = "the C library's result, closer than the GPU's"

ARITHMETIC = (
    *rows(
        INTEGER, "integers.py", "coverage/integers.cu", WHOLE,
        ("mul24", ".lo .hi, u32 and s32"), ("mad24", ".lo .hi, .hi.sat; u32 and s32"),
        ("rem", "16 to 64 bits; x rem 0 is x"), ("not", "b16 b32 b64 pred"), ("cnot", "b16 b32 b64"),
        ("and", "b16 b32 b64 pred"), ("or", "b16 b32 b64 pred"), ("xor", "b16 b32 b64 pred"),
        ("shl", "b16 b32 b64; amounts beyond the width shift everything out"), ("shr", "as shl; s fills with the sign"),
        ("sad", "16 to 64 bits"), ("dp4a", "u32 and s32 of each operand"),
        ("dp2a", ".lo .hi, u32 and s32 of each operand"),
        ("mad", ".lo .hi .wide, .hi.sat, .cc; of floats as fma"),
    ),
    *rows(
        INTEGER, "integers.py", "coverage/integers.cu", CARRIES,
        ("addc", "32 and 64 bits, .cc"), ("subc", "32 and 64 bits, .cc; no carry means a borrow, as in the hardware"),
        ("madc", ".lo .hi, .cc"),
    ),
    *rows(
        INTEGER, "bits.py", "coverage/integers.cu", WHOLE,
        ("bfe", "32 and 64 bits"), ("bfi", "32 and 64 bits"), ("bfind", "32 and 64 bits, .shiftamt"),
        ("brev", "32 and 64 bits"), ("popc", "32 and 64 bits"), ("clz", "32 and 64 bits"), ("fns", ""),
        ("bmsk", ".clamp .wrap"), ("szext", ".clamp .wrap"), ("prmt", "plain and .f4e .b4e .rc8 .ecl .ecr .rc16"),
        ("shf", ".l .r, .wrap .clamp"), ("lop3", "every table; .and .or with a predicate"),
    ),
    *rows(
        INTEGER, "video.py", "coverage/integers.cu", WHOLE,
        *((name, ".sat, .add .min .max; whole registers") for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax")),
        ("vshl", ".clamp .wrap, .sat"), ("vshr", ".clamp .wrap, .sat"), ("vmad", ".shr7 .shr15 .po, .sat"),
        ("vset", "every relation, .add .min .max"),
        *((f"{name}{n}", ".sat .add; all lanes, in their order")
          for name in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset") for n in (2, 4)),
    ),
    *rows(
        FLOAT, "floats.py", "coverage/floats.cu", REAL,
        ("add", "f32 f64 .rn .rz .rm .rp, f16 bf16 and their pairs, .ftz .sat; integers of 16 to 64 bits, s16x2 u16x2"),
        ("sub", "as add"), ("mul", "as add; integers .lo .hi .wide"), ("fma", "as add, .relu of halves and bfloat16"),
        ("div", "f32 f64 in every rounding, .approx .full; integers of 16 to 64 bits"),
        ("sqrt", "f32 f64 in every rounding; .approx is exact"), ("rcp", "f32 f64 in every rounding; .approx is exact"),
        ("abs", "f32 f64 f16 bf16, pairs, integers; .ftz"), ("neg", "as abs"),
        ("min", "floats: .NaN .xorsign.abs .ftz, two or three operands; integers, .relu, pairs"), ("max", "as min"),
        ("copysign", "f32 f64"),
        *((f"{name}.f32x2", ".rn .rz .rm .rp, .ftz", "sm_100") for name in ("add", "mul", "fma")),
    ),
    *rows(
        FLOAT, "floats.py", "coverage/floats.cu", MIXED,
        *((f"{name}.f32.{small}", "every rounding, .sat", "sm_100")
          for name in ("add", "sub", "fma") for small in ("f16", "bf16")),
    ),
    *rows(
        FLOAT, "floats.py", "coverage/math_float.cu", BOUNDS,
        ("rsqrt", f"f32 f64 .approx, .ftz; {CLOSER}"), ("ex2", f"f32 f16 bf16, pairs, .ftz; {CLOSER}"),
        ("lg2", CLOSER), ("sin", f".2pi too; {CLOSER}"), ("cos", f".2pi too; {CLOSER}"),
        ("tanh", f"f32 f16 bf16, pairs; {CLOSER}"),
    ),
    *rows(COMPARE, "selection.py", "coverage/floats.cu", REAL, ("set", "every relation, all types")),
    *rows(
        COMPARE, "selection.py", "coverage/predicates.cu", COMBINED,
        ("setp", "every relation and type, two results, .and .or .xor with a predicate"), ("selp", "16 to 64 bits"),
    ),
    *rows(COMPARE, "selection.py", "coverage/predicates.cu", TOLD, ("slct", "by s32 or f32"), ("testp", "f32 f64")),
    *rows(
        MOVE, "selection.py", "coverage/predicates.cu", PACKED,
        ("mov", "every type, packing and unpacking to 128 bits, addresses, special registers"),
    ),
    *rows(MEMORY, "memory_ops.py", "coverage/predicates.cu", PACKED, ("ldu", "as a load of global memory")),
    *rows(
        MOVE, "conversion.py", "coverage/conversions.cu",
        f"{CONVERSIONS}::test_floating_point_numbers_convert_to_every_type",
        ("cvt", "all pairs of types, every rounding, .sat .relu .ftz; tf32 by .rn .rz .rna"),
    ),
    *rows(
        MOVE, "conversion.py", "coverage/conversions.cu", f"{CONVERSIONS}::test_integers_convert_to_every_type",
        ("cvt.pack", "two numbers in front of a third"),
    ),
    *rows(
        MOVE, "conversion.py", "coverage/conversions.cu", f"{CONVERSIONS}::test_two_floats_convert_into_one_register",
        ("cvt.f16x2.f32", ".rn .rz .relu", "sm_80"), ("cvt.bf16x2.f32", ".rn .rz .relu", "sm_80"),
        *((f"cvt.{name}", ".satfinite .relu, from f32, f16x2 and bf16x2; back to f16x2 and bf16x2", since)
          for name, since in (("e4m3x2", "sm_89"), ("e5m2x2", "sm_89"), ("e2m3x2", "sm_100a"), ("e3m2x2", "sm_100a"),
                              ("e2m1x2", "sm_100a"))),
        ("cvt.ue8m0x2", ".rz .rp, .satfinite, from f32 and bf16x2; back to bf16x2", "sm_100a"),
    ),
    *refused(MOVE, "stochastic rounding", "cvt.rs"),
    *refused(FLOAT, "a product that is zero where it is out of bounds", "fma.oob"),
)  # fmt: skip
