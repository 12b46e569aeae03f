#!/usr/bin/env python3
"""Every text of the window is translated: the files are up to date with the sources, complete, and keep what is filled in.
What core says, in English alone, stands in core_text.cpp or core_sentences.h.

    translations_test.py LUPDATE PROJECT
"""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

FILES = {"cleave_zh_CN.ts": (["-target-language", "zh_CN"], 1), "cleave_en.ts": (["-target-language", "en", "-pluralonly"], 2)}


def messages(path):
    """(context, source, comment) -> (translations, whether finished)"""
    found = {}
    for context in ET.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            found[context.findtext("name"), message.findtext("source"), message.findtext("comment") or ""] = (forms, translation.get("type") is None)
    return found


def places(text):
    return collections.Counter(re.findall(r"%L?\d|%n|<[^>]*>", text))


def mnemonic(text):
    return re.search(r"&[^&\s]", text) is not None


def problems(lupdate, project, name):
    options, forms = FILES[name]
    recorded = messages(project / "resources/translations" / name)
    with tempfile.TemporaryDirectory() as folder:
        updated = pathlib.Path(folder) / name
        shutil.copy(project / "resources/translations" / name, updated)
        subprocess.run([lupdate, "-silent", "-no-obsolete", "-locations", "none", "-I", project, project / "views", project / "app/gui", *options, "-ts", updated],
                       check=True)
        current = messages(updated)
    for key in current.keys() - recorded.keys():
        yield f"{name} lacks {key[1]!r} of {key[0]}: build the target translations, then translate it"
    for key in recorded.keys() - current.keys():
        yield f"{name} has {key[1]!r} of {key[0]}, which is in no source: build the target translations"
    for (context, source, _), (texts, finished) in recorded.items():
        if not finished or len(texts) != forms or not all(texts):
            yield f"{name}: {source!r} of {context} is not translated"
        elif name != "cleave_en.ts":
            for text in texts:
                if places(text) != places(source):
                    yield f"{name}: {text!r} does not fill in what {source!r} does"
                if mnemonic(source) and not mnemonic(text):
                    yield f"{name}: {text!r} has no key, {source!r} has one"


# What the window never calls: the command line's generators, conversions, benchmarks and runs on disk.
OF_COMMAND_LINE = {"bench.cpp", "generate.cpp", "write_graph.cpp", "store_folder.cpp", "run.cpp", "memory_bound.cpp"}


def terms(expression):
    """What a C++ expression adds up, quoted texts whole."""
    found, depth, last = [], 0, 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[()\[\]{}+]', expression):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        elif token[0] == "+" and depth == 0:
            found.append(expression[last:token.start()].strip())
            last = token.end()
    return found + [expression[last:].strip()]


def errors(source):
    """Sentences of the errors that a C++ source throws; NN stands for what is filled in."""
    for call in re.finditer(r"\bError\(", source):
        depth, end = 1, call.end()
        for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', source[call.end():]):
            depth += (token[0] == "(") - (token[0] == ")")
            if depth == 0:
                end = call.end() + token.start()
                break
        quoted = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
        sentences = [""]
        for term in terms(source[call.end():end]):
            literal = re.fullmatch(rf"(?:std::string\()?{quoted}\)?", term)
            choice = re.search(rf"\?\s*{quoted}:\s*{quoted}", term)
            texts = literal.groups() if literal else choice.groups() if choice else ()
            plain = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"') for text in texts] or ["NN"]
            sentences = [sentence + text for sentence in sentences for text in plain]
        yield from sentences


def unknown_errors(project):
    texts = "".join((project / "views" / name).read_text(encoding="utf-8") for name in ("core_text.cpp", "core_sentences.h"))
    known = [re.compile(re.sub(r"%\d", ".+?", re.escape(text).replace("\\%", "%")), re.DOTALL)
             for text in re.findall(r'QT_TRANSLATE_NOOP\("cleave::Core", "((?:[^"\\]|\\.)*)"\)', texts)]
    count = 0
    for path in sorted([*(project / "core").rglob("*.cpp"), *(project / "views").rglob("*.cpp")]):
        for sentence in errors(path.read_text(encoding="utf-8")) if path.name not in OF_COMMAND_LINE else ():
            # Parts of sentences are filled into others.
            if len(re.sub("NN|[^A-Za-z]", "", sentence)) < 8 or not (sentence[0].isupper() or sentence[0] == "'") or not sentence.endswith((".", "NN", "…")):
                continue
            count += 1
            ends = [sentence, sentence.removesuffix("NN") + "."]  # the last part may be an end of its own
            if not any(pattern.fullmatch(end) for pattern in known for end in ends):
                yield f"{path.name}: the window does not know {sentence!r}: put it into core_sentences.h"
    if count < 200:
        yield f"only {count} errors were found in core"


def main():
    lupdate, project = sys.argv[1], pathlib.Path(sys.argv[2])
    found = [problem for name in FILES for problem in problems(lupdate, project, name)] + list(unknown_errors(project))
    print("\n".join(found) or "complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
