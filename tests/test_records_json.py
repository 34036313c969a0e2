"""Records as JSON: nothing lost, nothing that is not JSON, and a schema that says what is written."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudaperf_magic import records
from cudaperf_magic.episode import play
from cudaperf_magic.fakes import BROKEN, RACY, SAXPY, WRONG, FakeBench, FakePolicy, correct
from cudaperf_magic.records import Candidate, Episode, Fault, LineCost, Outcome, OutputError, RewardTerm, Verdict
from cudaperf_magic.records_json import VERSION, dumps, from_json, loads, to_json
from cudaperf_magic.records_schema import PUBLISHED, schema, schema_path, schema_text

finite = st.floats(-1e100, 1e100)  # products and sums of these stay finite
st.register_type_strategy(float, finite)
st.register_type_strategy(
    records.Timing,
    st.builds(
        records.Timing,
        samples_us=st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=3).map(tuple),
        baseline=st.text(max_size=5),
        baseline_samples_us=st.lists(st.floats(1e-3, 1e6), max_size=3).map(tuple),
        floor_us=st.none() | st.floats(1e-3, 1e6),
    ),
)
st.register_type_strategy(
    records.Structure,
    st.lists(st.sampled_from(records.PROPERTIES), unique=True).flatmap(
        lambda names: st.builds(
            records.Structure,
            properties=st.tuples(*(st.builds(records.Property, name=st.just(n), score=st.floats(0, 1)) for n in names)),
        )
    ),
)


def outcomes() -> st.SearchStrategy[Outcome]:
    failed = st.builds(Outcome, build=st.builds(records.Build, ok=st.just(False)), verdict=st.none(), timing=st.none(),
                       structure=st.none())
    built = st.builds(records.Build, ok=st.just(True))
    passed = st.builds(Outcome, build=built, verdict=st.builds(Verdict, status=st.just("pass")))
    return failed | passed


st.register_type_strategy(Outcome, outcomes())
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(st.from_type(Outcome))
def test_any_outcome_survives_the_journey_and_fits_its_schema(outcome: Outcome) -> None:
    text = dumps(outcome)
    assert loads(Outcome, text) == outcome
    jsonschema.validate(json.loads(text), schema(Outcome))


@QUICK
@given(st.builds(Episode, turns=st.lists(st.from_type(records.Turn), max_size=2).map(tuple)))
def test_any_episode_survives_the_journey_and_fits_its_schema(episode: Episode) -> None:
    text = dumps(episode)
    assert loads(Episode, text) == episode
    jsonschema.validate(json.loads(text), schema(Episode))


def played() -> Episode:
    bench = FakeBench({"a": BROKEN, "b": WRONG, "c": RACY, "d": correct(2.0, coalescing=0.5), "e": correct()})
    *_, episode = play([SAXPY], FakePolicy(["a", ("b", "c"), "d", "e"]), bench)
    return episode


def test_a_played_episode_survives_and_tells_what_is_derived() -> None:
    episode = played()
    data = json.loads(dumps(episode))
    assert loads(Episode, json.dumps(data)) == episode
    jsonschema.validate(data, json.loads(schema_path(Episode).read_text()))
    assert (data["decision"], data["best"]) == ("translate", 2)
    assert data["turns"][2]["reward"]["total"] == pytest.approx(episode.turns[2].reward.total)
    assert [turn["outcome"]["stage"] for turn in data["turns"]] == ["build", "verify", "measure", "measure"]
    assert (data["record"], data["version"], data["task"]["key"]) == ("episode", VERSION, SAXPY.key)


def test_a_file_from_before_a_field_was_added_is_read_with_its_default() -> None:
    old = to_json(Fault("trap", "thread 3 executes __trap()", line=4))
    for name in ("remedy", "other_block"):
        del old[name]
    assert from_json(Fault, old) == Fault("trap", "thread 3 executes __trap()", line=4)


def test_an_episode_without_a_correct_turn_has_no_best_and_a_kept_one_says_keep() -> None:
    assert to_json(Episode(SAXPY))["best"] is None
    assert to_json(Episode(SAXPY, stopped="x", kept="carried"))["decision"] == "keep"


@pytest.mark.parametrize("cls", PUBLISHED)
def test_the_schema_files_are_the_generated_ones(cls: type) -> None:
    assert schema_path(cls).read_text() == schema_text(cls), "run python -m cudaperf_magic.records_schema"


@pytest.mark.parametrize("cls", PUBLISHED)
def test_the_schemas_are_schemas(cls: type) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(cls))


def test_the_schema_refuses_what_no_record_holds() -> None:
    data = json.loads(dumps(BROKEN))
    for change in ({"stage": "measured"}, {"speedup": "fast"}, {"extra": 1}, {"build": None}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data | change, schema(Outcome))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_null_where_it_may_be_absent(value: float) -> None:
    error = OutputError("y", rms=value, largest=value, reference_rms=0.0, reference_largest=0.0)
    assert to_json(error)["rms"] is None
    assert from_json(OutputError, to_json(error)).largest is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_an_error_with_its_place_elsewhere(value: float) -> None:
    candidate = Candidate("x", log_probabilities=(0.0, value))
    with pytest.raises(ValueError, match=r"log_probabilities\[1\]"):
        dumps(candidate)
    with pytest.raises(ValueError, match="score"):
        dumps(RewardTerm("speed", value, 1.0, ""))


def test_numpy_numbers_become_plain_ones() -> None:
    line = LineCost(line=np.int64(3), executions=np.uint32(7), active_lanes=np.float32(31.5))  # type: ignore[arg-type]
    assert json.loads(json.dumps(to_json(line)))["executions"] == 7
    verdict = Verdict("pass", "", is_deterministic=np.bool_(True))  # type: ignore[arg-type]
    assert to_json(verdict)["is_deterministic"] is True


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "passed"}, "status: 'passed' is not one of"),
        ({"reason": 3}, "reason: 3 is not str"),
        ({"cases_passed": True}, "cases_passed: True is not int"),
        ({"faults": "none"}, "faults: expected a list"),
        ({"colour": "red"}, "unknown key colour"),
        ({"faults": [{"kind": "trap"}]}, r"faults\[0\] has no"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_json(Verdict, to_json(Verdict("pass", "")) | change)


def test_a_text_of_another_kind_or_a_newer_version_is_refused() -> None:
    with pytest.raises(ValueError, match="kind 'episode', found 'outcome'"):
        loads(Episode, dumps(BROKEN))
    with pytest.raises(ValueError, match="upgrade"):
        loads(Outcome, json.dumps(json.loads(dumps(BROKEN)) | {"version": VERSION + 1}))
    with pytest.raises(ValueError):
        loads(Outcome, "[]")


def test_an_impossible_record_is_refused_when_it_is_read_too() -> None:
    data = to_json(replace(correct(2.0), structure=None))
    data["verdict"]["status"] = "mismatch"
    with pytest.raises(ValueError, match="only a correct candidate"):
        from_json(Outcome, data)
