"""The metadata of a published dataset in Croissant 1.0, the JSON-LD that programs and search engines read.

Fields come from the tables' contracts. Nothing is joined: a record set is one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa

from smartsbd.contracts.contract import Column
from smartsbd.pipelines.publishing import licence
from smartsbd.pipelines.publishing.citation import Citation
from smartsbd.pipelines.publishing.origin import Origin
from smartsbd.pipelines.publishing.table_file import TableFile

#: As the specification has it: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
CONFORMS_TO = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
_PARQUET = "application/x-parquet"


@dataclass(frozen=True)
class Place:
    """Where and when a deposit is published.

    Attributes
    ----------
    published : date
    url : str or None
        Address of the deposit's folder, without a slash at its end; None if it has none yet.
    """

    published: date
    url: str | None = None


def data_type(dtype: pa.DataType) -> str:
    """Return what Croissant 1.0 calls a column's type: it has no bytes, so they are text.

    Returns
    -------
    str
        One of ``sc:Boolean``, ``sc:Integer``, ``sc:Float`` and ``sc:Text``.

    Examples
    --------
    >>> data_type(pa.uint32()), data_type(pa.bool_()), data_type(pa.binary())
    ('sc:Integer', 'sc:Boolean', 'sc:Text')
    """
    if pa.types.is_boolean(dtype):
        return "sc:Boolean"
    if pa.types.is_integer(dtype):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(dtype) else "sc:Text"


def _description(column: Column) -> str:
    parts = [column.meaning, f"unit: {column.unit}" if column.unit else ""]
    parts += [f"source: {column.source}" if column.source else "", "null: not observed" if column.nullable else ""]
    return "; ".join(part for part in parts if part)


def _field(file: TableFile, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{file.table.name}/{column.name}",
        "name": column.name,
        "description": _description(column),
        "dataType": data_type(column.dtype),
        "source": {"fileObject": {"@id": file.name}, "extract": {"column": column.name}},
    }


def _record_set(file: TableFile) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": file.table.name,
        "name": file.table.name,
        "description": f"A record is {file.table.grain}; {file.rows} records.",
        "key": [{"@id": f"{file.table.name}/{name}"} for name in file.table.key],
        "field": [_field(file, column) for column in file.table.columns],
    }


def _file_object(file: TableFile, folder: str | None) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "description": f"The table {file.table.name}: {file.table.grain}.",
        "contentUrl": file.name if folder is None else f"{folder}/{file.name}",
        "contentSize": f"{file.size_bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": file.sha256,
    }


def metadata(
    dataset: str, origin: Origin, files: Sequence[TableFile], citation: Citation, place: Place, folder: str
) -> dict[str, Any]:
    """Return the metadata of a dataset.

    Parameters
    ----------
    dataset : str
    origin : Origin
    files : sequence of TableFile
        Its tables.
    citation : Citation
    place : Place
    folder : str
        The dataset's, from the deposit's. Without an address of the deposit, files are named beside the metadata.

    Returns
    -------
    dict
        A JSON-LD document.
    """
    url = None if place.url is None else f"{place.url}/{folder}"
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": dataset,
        "description": origin.what,
        "license": [licence.address(identifier) for identifier in licence.identifiers(origin.licence)],
        **({} if url is None else {"url": url}),
        "creator": {"@type": "sc:Organization", "name": citation.author},
        "citeAs": citation.bibtex(),
        "datePublished": place.published.isoformat(),
        "version": citation.version,
        "keywords": list(citation.keywords),
        "rai:dataCollection": " ".join(origin.made),
        "rai:dataLimitations": [*origin.doubts, *(f"Not for this: {sentence}" for sentence in origin.not_for)],
        "distribution": [_file_object(file, url) for file in files],
        "recordSet": [_record_set(file) for file in files],
    }
