"""params.yaml with names added to lists and values set: every other byte stays, comments and order with it.

The places are those that the YAML parser gives, and what comes out is read back and compared.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from smartsbd.pipelines.params.block import ParamsError

_MOST_COLUMNS = 130


@dataclass(frozen=True)
class Edit:
    """A change to one value of a YAML file.

    Attributes
    ----------
    key : str
        Where it is, such as ``search.datasets``.
    value : str
        What a list gets at its end unless it has it, and what a single value becomes.
    """

    key: str
    value: str

    @property
    def names(self) -> list[str]:
        """The keys from the top down."""
        return self.key.split(".")


def _node(root: yaml.Node, names: Sequence[str]) -> yaml.Node | None:
    node: yaml.Node | None = root
    for name in names:
        if not isinstance(node, yaml.MappingNode):
            return None
        node = next((value for key, value in node.value if key.value == name), None)
    return node


def _last_line_end(text: str, node: yaml.Node) -> int:
    """Return where the line ends on which a node of block style has its last content."""
    content = len(text[: node.end_mark.index].rstrip())
    end = text.find("\n", content)
    return len(text) if end < 0 else end


def _block_end(text: str, node: yaml.CollectionNode) -> int:
    """Return where the last line of a block's last entry ends, before comments that belong to what follows."""
    last = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    if isinstance(last, yaml.CollectionNode) and not last.flow_style and last.value:
        return _block_end(text, last)
    return _last_line_end(text, last)


def _with_item(text: str, node: yaml.SequenceNode, value: str) -> str:
    """Add an item to the end of a list."""
    if any(item.value == value for item in node.value):
        return text
    if not node.flow_style:
        end, column = _block_end(text, node), node.start_mark.column
        return f"{text[:end]}\n{' ' * column}- {value}{text[end:]}"
    if not node.value:
        return f"{text[: node.start_mark.index]}[{value}]{text[node.end_mark.index :]}"
    end = node.value[-1].end_mark.index
    line_start = text.rfind("\n", 0, end) + 1
    wraps = end + len(value) + 3 - line_start > _MOST_COLUMNS
    first_line = text[text.rfind("\n", 0, node.start_mark.index) + 1 : node.start_mark.index]
    indent = len(first_line) - len(first_line.lstrip()) + 2
    return f"{text[:end]},{chr(10) + ' ' * indent if wraps else ' '}{value}{text[end:]}"


def _with_entry(text: str, node: yaml.MappingNode, name: str, value: str) -> str:
    """Add an entry to the end of a mapping."""
    if not node.value or node.flow_style:
        end = node.value[-1][1].end_mark.index if node.value else node.start_mark.index + 1
        return f"{text[:end]}{', ' if node.value else ''}{name}: {value}{text[end:]}"
    end = _block_end(text, node)
    return f"{text[:end]}\n{' ' * node.start_mark.column}{name}: {value}{text[end:]}"


def _changed(text: str, edit: Edit) -> str:
    root = yaml.compose(text, yaml.SafeLoader)
    if root is None:
        raise ParamsError("params.yaml holds nothing")
    node = _node(root, edit.names)
    if isinstance(node, yaml.SequenceNode):
        return _with_item(text, node, edit.value)
    if isinstance(node, yaml.ScalarNode):
        return f"{text[: node.start_mark.index]}{edit.value}{text[node.end_mark.index :]}"
    above = _node(root, edit.names[:-1])
    if node is None and isinstance(above, yaml.MappingNode):
        return _with_entry(text, above, edit.names[-1], edit.value)
    raise ParamsError(f"params.yaml: {edit.key} is no list and no single value")


def _apply(content: dict[str, Any], edit: Edit) -> None:
    """Make the same change to what the YAML says."""
    *above, last = edit.names
    for name in above:
        content = content[name]
    if not isinstance(content.get(last), list):
        content[last] = edit.value
    elif edit.value not in content[last]:
        content[last].append(edit.value)


def edited(text: str, edits: Sequence[Edit], load: Callable[[str], Any] = yaml.safe_load) -> str:
    r"""Return a YAML file's text with some values changed.

    Parameters
    ----------
    text : str
    edits : sequence of Edit
    load : callable
        What reads YAML.

    Returns
    -------
    str

    Raises
    ------
    ParamsError
        If the text is not of a form in which the changes can be made: it would say something else then.

    Examples
    --------
    >>> print(edited("# Which.\ndatasets: [sites]  # ours\nmethod:\n  sites: achieved\n",
    ...              [Edit("datasets", "mine"), Edit("method.mine", "given")]), end="")
    # Which.
    datasets: [sites, mine]  # ours
    method:
      sites: achieved
      mine: given
    """
    wanted = copy.deepcopy(load(text))
    for edit in edits:
        text = _changed(text, edit)
        _apply(wanted, edit)
    if load(text) != wanted:
        raise ParamsError(f"params.yaml: {', '.join(edit.key for edit in edits)} cannot be changed in its form")
    return text
