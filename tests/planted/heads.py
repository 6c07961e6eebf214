"""Faults of protocol and metadata."""

from typing import Any

from planted.plant import Change, Fault, Plant

PLAIN, MAPPED, WIDENED, TRACKED = (
    "crc_good",
    "tw_colmap_id",
    "tw_preview_checkpointed",
    "row_tracking",
)
CHANGES = "delta.typeChanges"


def protocol(name: str, change: Change, code: str, table: str = PLAIN) -> Fault:
    return Fault(f"protocol-{name}", table, lambda p: p.edit(0, "protocol", change),
                 {code: "0.json"})  # fmt: skip


def configured(name: str, code: str, table: str = PLAIN, **values: Any) -> Fault:
    """Properties that are set, or with None taken away."""

    def change(body: dict[str, Any]) -> None:
        for key, value in values.items():
            body["configuration"].pop(f"delta.{key}", None)
            if value is not None:
                body["configuration"][f"delta.{key}"] = value

    return Fault(f"property-{name}", table, lambda p: p.edit(0, "metaData", change),
                 {code: "0.json: metaData"})  # fmt: skip


def typed(name: str, entries: Any, code: str) -> Fault:
    """The plain table's only column, an integer, with these type changes."""

    def plant(p: Plant) -> None:
        p.edit_schema(0, lambda s: s["fields"][0]["metadata"].update({CHANGES: entries}))
        features = ["typeWidening"]
        p.edit(0, "protocol", lambda b: b.update(
            minReaderVersion=3, minWriterVersion=7, readerFeatures=features,
            writerFeatures=features))  # fmt: skip

    return Fault(f"types-{name}", PLAIN, plant, {code: "column id"})


def mapping(name: str, change: Any, code: str) -> Fault:
    """The plain table, of two columns mapped by name, with a fault."""

    def plant(p: Plant) -> None:
        def two(schema: dict[str, Any]) -> None:
            first = schema["fields"][0]
            schema["fields"] = [
                {**first, "name": label, "metadata": {
                    "delta.columnMapping.id": number,
                    "delta.columnMapping.physicalName": label}}
                for number, label in ((1, "id"), (2, "b"))
            ]  # fmt: skip

        p.edit_schema(0, two)
        p.edit(0, "protocol", lambda b: b.update(minReaderVersion=2, minWriterVersion=5))
        p.edit(0, "metaData", lambda b: b["configuration"].update(
            {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
        ))  # fmt: skip
        change(p)

    return Fault(f"mapping-{name}", PLAIN, plant, {code: "0.json: metaData"})


def field_metadata(number: int, **values: Any) -> Any:
    keys = {f"delta.columnMapping.{key}": value for key, value in values.items()}
    return lambda p: p.edit_schema(0, lambda s: s["fields"][number]["metadata"].update(keys))


def change_of(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"fromType": old, "toType": new, **more}


HEADS = [
    protocol("zero", lambda b: b.update(minReaderVersion=0), "PROTOCOL_VERSION_INVALID"),
    protocol("reader-3", lambda b: b.update(minReaderVersion=3), "READER_3_NEEDS_WRITER_7"),
    protocol("no-lists", lambda b: b.update(minReaderVersion=3, minWriterVersion=7),
             "FEATURE_LISTS_MISSING"),
    protocol("lists-too-early", lambda b: b.update(writerFeatures=["appendOnly"]),
             "FEATURES_ON_OLD_PROTOCOL"),
    protocol("one-list-only", lambda b: b.update(
        minReaderVersion=3, minWriterVersion=7, readerFeatures=["deletionVectors"],
        writerFeatures=[]), "READER_FEATURE_NOT_IN_WRITER"),
    protocol("other-list-only", lambda b: b.update(
        minReaderVersion=3, minWriterVersion=7, readerFeatures=[],
        writerFeatures=["deletionVectors"]), "WRITER_FEATURE_NOT_IN_READER"),
    protocol("reader-too-low", lambda b: b.update(
        minReaderVersion=1, minWriterVersion=7, writerFeatures=["columnMapping"]),
        "READER_VERSION_TOO_LOW"),
    protocol("twice", lambda b: b.update(
        minWriterVersion=7, writerFeatures=["appendOnly", "appendOnly"]), "DUPLICATE_FEATURE"),
    configured("without-feature", "PROPERTY_WITHOUT_FEATURE", enableDeletionVectors="true"),
    configured("of-protocol", "PROTOCOL_KEY_IN_PROPERTIES", minWriterVersion="5"),
    configured("feature", "PROTOCOL_KEY_IN_PROPERTIES", **{"feature.typeWidening": "supported"}),
    configured("half-of-ict", "ICT_ENABLEMENT_INCOMPLETE", "tw_kitchen_sink_first",
               inCommitTimestampEnablementVersion="0"),
    Fault("row-tracking-without-names", TRACKED,
          lambda p: p.edit(0, "metaData", lambda b: b["configuration"].pop(
              "delta.rowTracking.materializedRowIdColumnName")),
          {"ROW_TRACKING_INCOMPLETE": "0.json: metaData"}),
    Fault("schema-not-json", PLAIN,
          lambda p: p.edit(0, "metaData", lambda b: b.update(schemaString="{nope")),
          {"SCHEMA_NOT_JSON": "0.json: metaData"}),
    Fault("schema-missing", PLAIN,
          lambda p: p.edit(0, "metaData", lambda b: b.pop("schemaString")),
          {"SCHEMA_MISSING": "0.json: metaData"}),
    Fault("unknown-type", PLAIN,
          lambda p: p.edit_schema(0, lambda s: s["fields"][0].update(type="wibble")),
          {"UNKNOWN_TYPE": "0.json: metaData"}),
    Fault("names-differ-in-case", PLAIN,
          lambda p: p.edit_schema(0, lambda s: s["fields"].append(
              {**s["fields"][0], "name": "ID"})),
          {"DUPLICATE_COLUMNS": "0.json: metaData"}),
    Fault("partition-column-unknown", PLAIN,
          lambda p: p.edit(0, "metaData", lambda b: b.update(partitionColumns=["zzz"])),
          {"PARTITION_COLUMN_NOT_IN_SCHEMA": "0.json: metaData"}),
    Fault("created-time-text", PLAIN,
          lambda p: p.edit(0, "metaData", lambda b: b.update(createdTime="5")),
          {"FIELD_WRONG_TYPE": "0.json"}),
    typed("empty", [], "TYPE_CHANGES_UNREADABLE"),
    typed("no-list", {"a": 1}, "TYPE_CHANGES_UNREADABLE"),
    typed("unknown", [change_of("wibble", "integer")], "TYPE_CHANGES_UNREADABLE"),
    typed("not-allowed", [change_of("long", "integer")], "TYPE_CHANGE_NOT_ALLOWED"),
    typed("broken", [change_of("byte", "short"), change_of("byte", "integer")],
          "TYPE_CHANGE_NOT_CONTINUOUS"),
    typed("other-end", [change_of("byte", "short")], "TYPE_CHANGE_NOT_CURRENT"),
    typed("no-such-path", [change_of("byte", "integer", fieldPath="element")],
          "TYPE_CHANGE_PATH_MISSING"),
    Fault("types-without-feature", PLAIN,
          lambda p: p.edit_schema(0, lambda s: s["fields"][0]["metadata"].update(
              {CHANGES: [change_of("short", "integer")]})),
          {"TYPE_CHANGES_WITHOUT_FEATURE": "0.json: metaData"}),
    mapping("same-id", field_metadata(1, id=1), "COLUMN_ID_TWICE"),
    mapping("same-name", field_metadata(1, physicalName="id"), "PHYSICAL_NAME_TWICE"),
    mapping("low-maximum", field_metadata(1, id=7), "MAX_COLUMN_ID_TOO_LOW"),
    mapping("maximum-of-many-digits", lambda p: p.edit(
        0, "metaData", lambda b: b["configuration"].update(
            {"delta.columnMapping.maxColumnId": "9" * 5000})), "MAX_COLUMN_ID_TOO_LOW"),
    mapping("no-id", lambda p: p.edit_schema(0, lambda s: s["fields"][1].update(metadata={})),
            "COLUMN_MAPPING_INCOMPLETE"),
    mapping("unknown-mode", lambda p: p.edit(0, "metaData", lambda b: b["configuration"].update(
        {"delta.columnMapping.mode": "wibble"})), "COLUMN_MAPPING_MODE"),
]  # fmt: skip
