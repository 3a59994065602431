"""Prompt templates: what is sent, what `run.json` holds, and which template is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripted import Said, serving
from workbench import Ended, contents, done, edit, isovist, records, refused, stored

from isovist.core.answers import Choice
from isovist.data.prompt_template import VARIABLES, PromptTemplate
from isovist.data.prompts import IMAGE, STYLES, prompt, with_placeholders
from isovist.reporting.analysis.collect import load_results
from isovist.reporting.reports.report import write_report
from isovist.reporting.reports.report_folder import ReportFolder
from isovist.reporting.tracking.evaluation_log import evaluation_logs
from isovist.suites import registry

LETTERS = "cdr/relative-compass-letter"
TEMPLATE = """Task {{ task }}.
{{ question }}
{% if options %}Options:
{{ options }}
{% endif %}Reply "Answer:" and {{ answer_format }}.
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "prompt.jinja"
    path.write_text(TEMPLATE)
    return path


def run(data: Path, out: Path, template: Path, *more: object) -> Ended:
    return isovist(
        "run", LETTERS, "--data", data, "--model", "simulated/oracle", "--n", 3, "--prompt-template", template, "--out", out, *more
    )


def test_the_rendered_prompt_is_sent_and_the_run_needs_no_file_afterwards(data: Path, tmp_path: Path, template: Path) -> None:
    out = tmp_path / "run"
    with serving(lambda asked: Said("Answer: A")) as server:
        common = ("run", LETTERS, "--data", data, "--model", "m", "--base-url", server.url, "--n", 3, "--out", out)
        done(*common, "--prompt-template", template, "--no-image", "--circular-eval", "--compare-prompt-styles", "final-line,direct")
        n, words = len(server.asked), {asked.words for asked in server.asked}
    rows = stored(data, LETTERS)[:3]
    for row in rows:
        assert isinstance(row.key, Choice)
        expected = f'Task {LETTERS}.\n{IMAGE}\n{row.metadata.question}\nOptions:\n{row.key.options_text()}\nReply "Answer:" and the letter of one option.'
        assert row.prompt_in_style(PromptTemplate(TEMPLATE)) == expected
        assert expected.replace(f"{IMAGE}\n", "") in {text.replace(".\n\n", ".\n") for text in words}
    assert n == sum(1 + 1 + (len(row.choices) - 1) + 2 for row in rows)
    info = json.loads((out / "run.json").read_bytes())
    assert (info["style"], info["prompt_template"]) == (PromptTemplate(TEMPLATE).name, TEMPLATE)
    template.unlink()
    done("rescore", out)
    done("report", out, "--out", tmp_path / "report")
    assert info["style"] in (tmp_path / "report" / "index.html").read_text()
    assert "Task cdr/relative-compass-letter." in "".join(
        text.decode(errors="ignore") for name, text in contents(tmp_path / "report").items() if name.endswith((".js", ".json", ".html"))
    )


def test_a_resumed_run_has_the_same_template(data: Path, tmp_path: Path, template: Path) -> None:
    out = tmp_path / "run"
    assert run(data, out, template).code == 0
    assert len(records(out)) == 3
    assert run(data, out, template).code == 0
    assert len(records(out)) == 3
    template.write_text(TEMPLATE + "!")
    refused(run(data, out, template), "different style")
    refused(isovist("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--n", 3, "--out", out), "different style")


def test_new_items_are_stored_in_the_default_style(tmp_path: Path, template: Path) -> None:
    done("run", LETTERS, "--model", "simulated/oracle", "--n", 2, "--prompt-template", template, "--out", tmp_path / "run", "--workers", 1)
    for row in stored(tmp_path / "run" / "data"):
        assert row.prompt == prompt(row.metadata.question, row.key, 1)


def test_a_template_of_the_default_style_gives_its_prompts_for_every_task() -> None:
    """The variables are enough to write the prompts of the styles, also where the placeholders are inside the question."""
    text = "{{ question }}\n{% if options %}{{ options }}\n{% endif %}"
    for task in registry.tasks().values():
        from isovist.data import items

        item = items.Items(task, 1)[0]
        arguments = (item.question.text, item.answer, len(item.pictures))
        assert PromptTemplate(text + "{{ instruction }}").prompt(*arguments, task.id) == prompt(*arguments)
        form = STYLES["direct"].closing.format(form="{{ answer_format }}")
        assert PromptTemplate(text + form).prompt(*arguments, task.id) == prompt(*arguments, "direct")


INVALID: dict[str, tuple[str, tuple[str, ...]]] = {
    "no question": ("{{ options }}", ("the question", "{{ question }}")),
    "no options": ("{{ question }}", ("the options",)),
    "the question twice": ("{{ question }}{{ question }}{{ options }}", ("2 times",)),
    "an additional placeholder": ("<image>\n{{ question }}{{ options }}", ("2 <image> for 1 images",)),
    "a question without its placeholder": ("{{ question.replace('<image>', '') }}{{ options }}", ("not at all",)),
    "changed text": ("{{ question | upper }}{{ options }}", ("not at all",)),
    "a syntax error": ("{{ question", ("line 1",)),
    "an unknown tag": ("{% frobnicate %}", ("frobnicate",)),
    "an unknown variable": ("{{ question }}{{ options }}{{ key }}", ("'key' is undefined", ", ".join(VARIABLES))),
    "the answer": ("{{ question }}{{ options }}{{ answer }}", ("undefined",)),
    "an unknown filter": ("{{ question | frobnicate }}", ("frobnicate",)),
    "a random filter": ("{{ question }}{{ options }}{{ [1, 2] | random }}", ("random",)),
    "random text": ("{{ question }}{{ options }}{{ lipsum() }}", ("lipsum",)),
    "a file": ("{{ question }}{{ options }}{% include '/etc/passwd' %}", ("loader",)),
    "an import": ("{% from 'x' import y %}{{ question }}{{ options }}", ("loader",)),
    "the interpreter": ("{{ question }}{{ options }}{{ ''.__class__.__mro__[1].__subclasses__() }}", ("unsafe",)),
    "the environment": ("{{ question }}{{ options }}{{ self._TemplateReference__context }}", ("",)),
    "globals of a function": ("{{ question }}{{ options }}{{ cycler.__init__.__globals__.os.environ }}", ("unsafe",)),
    "a long loop": ("{{ question }}{{ options }}{% for i in range(10000000) %}{% endfor %}", ("Range too big",)),
    "a division by zero": ("{{ question }}{{ options }}{{ 1 / 0 }}", ("ZeroDivisionError",)),
    "nothing": ("", ("the question",)),
}


@pytest.mark.parametrize("name", INVALID)
@pytest.mark.parametrize("stored_items", [True, False])
def test_an_unsuitable_template_is_refused_before_anything_is_written(
    data: Path, tmp_path: Path, name: str, stored_items: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOVIST_API_KEY", "SECRETVALUE99")
    text, words = INVALID[name]
    path = tmp_path / "prompt.jinja"
    path.write_text(text)
    where = ("--data", data) if stored_items else ("--workers", 1)
    ended = isovist("run", LETTERS, *where, "--model", "simulated/oracle", "--n", 2, "--prompt-template", path, "--out", tmp_path / "run")
    refused(ended, "prompt template", *words)
    assert "SECRETVALUE99" not in ended.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("content", [None, b"\xff\xfe{{ question }}", b"x" * 100_001])
def test_an_unreadable_template_is_one_line(data: Path, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "prompt.jinja"
    if content is not None:
        path.write_bytes(content)
    refused(run(data, tmp_path / "run", path), str(path))
    refused(run(data, tmp_path / "run", tmp_path), str(tmp_path))
    assert not (tmp_path / "run").exists()


def test_a_template_excludes_a_style_and_adaptive_testing(data: Path, tmp_path: Path, template: Path) -> None:
    refused(run(data, tmp_path / "run", template, "--prompt-style", "direct"), "--prompt-template", "--prompt-style")
    ended = isovist(
        "run", "perceptv/*", "--adaptive", "--model", "simulated/oracle", "--prompt-template", template, "--out", tmp_path / "run"
    )
    refused(ended, "--prompt-template", "--adaptive")
    assert not (tmp_path / "run").exists()


def test_an_unsuitable_item_behind_the_first_ends_the_run_before_a_request(data: Path, tmp_path: Path) -> None:
    second = stored(data, LETTERS)[1].metadata.question
    path = tmp_path / "prompt.jinja"
    path.write_text(f"{{% if {second[:60]!r} in question %}}x{{% else %}}{{{{ question }}}}{{% endif %}}{{{{ options }}}}")
    with serving(lambda asked: Said("Answer: A")) as server:
        ended = isovist(
            "run", LETTERS, "--data", data, "--model", "m", "--base-url", server.url, "--prompt-template", path, "--out", tmp_path / "run"
        )
        refused(ended, "the question")
        assert not server.asked


def test_the_run_names_a_changed_template(data: Path, tmp_path: Path, template: Path) -> None:
    """The text of the template is part of the run: a changed one is no longer that of the hash."""
    out = tmp_path / "run"
    assert run(data, out, template).code == 0
    edit(out / "run.json", lambda info: info.update(prompt_template=TEMPLATE + "!"))
    refused(isovist("report", out, "--out", tmp_path / "report"), "prompt template", "run.json")


def test_placeholders_come_first_unless_the_question_has_them() -> None:
    assert with_placeholders("Which?", 2) == f"{IMAGE}\n{IMAGE}\nWhich?"
    assert with_placeholders(f"Is {IMAGE} like {IMAGE}?", 2) == f"Is {IMAGE} like {IMAGE}?"


def test_a_logged_example_has_the_prompt_of_the_template(data: Path, tmp_path: Path, template: Path) -> None:
    assert run(data, tmp_path / "run", template).code == 0
    results, folder = load_results([tmp_path / "run"]), ReportFolder(tmp_path / "report")
    write_report(results, folder, has_item_browser=False)
    (log,) = evaluation_logs(results, folder, 1)
    assert str(log.examples.rows[0][log.examples.columns.index("prompt")]).startswith(f"Task {LETTERS}.")
