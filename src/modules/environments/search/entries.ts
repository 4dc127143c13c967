// A resource as an entry of the index: its texts, and its edges in the graph. Pure. Hidden fields
// are removed before a resource gets here.

import type { IndexEdge, IndexEntry } from "../../../adapters/text-index/port.ts";
import { textIndexLimits } from "../../../adapters/text-index/port.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { environmentNoun, externalNoun, groupNoun, resourceNoun } from "../api/nouns.ts";
import { templateNoun } from "../api/nouns.ts";
import type { Noun } from "../api/nouns.ts";

/** What is indexed. The word of the noun is the kind of the entry. */
export const searchedNouns: readonly Noun[] = [
  environmentNoun,
  templateNoun,
  resourceNoun,
  groupNoun,
  externalNoun,
];

export const edgeTypes = ["depends-on", "belongs-to", "made-from"] as const;
export type EdgeType = (typeof edgeTypes)[number];

export function entryId(word: string, namespace: string, name: string): string {
  return `${word}/${namespace}/${name}`;
}

export function entryOf(noun: Noun, { metadata, spec, status }: Resource): IndexEntry {
  const { name, namespace = "" } = metadata;
  const title = textAt(spec, "displayName") || textAt(spec, "name");
  const state = textAt(status, "phase") || textAt(status, "state");
  const description = textAt(spec, "description");
  const tags = objectAt(spec, "tags");
  return {
    id: entryId(noun.word, namespace, name),
    place: namespace,
    kind: noun.word,
    title: `${title} ${name}`.trim(),
    tags: Object.keys(tags)
      .map((tag) => `${tag} ${textAt(tags, tag)}`)
      .join(" "),
    text: textsIn(spec).join(" "),
    shown: {
      type: noun.word,
      namespace,
      id: name,
      ...(title === "" ? {} : { name: title }),
      ...(description === "" ? {} : { description: description.slice(0, 200) }),
      ...(Object.keys(tags).length === 0 ? {} : { tags }),
      ...(state === "" ? {} : { state }),
      ...(noun === resourceNoun ? { environment: textAt(spec, "environment") } : {}),
    },
    edges: edgesOf(noun, namespace, spec),
  };
}

function edgesOf(noun: Noun, namespace: string, spec: Json | undefined): readonly IndexEdge[] {
  const to = (type: EdgeType, { word }: Noun, names: readonly string[]): readonly IndexEdge[] =>
    names
      .filter((name) => name !== "")
      .map((name) => ({ to: entryId(word, namespace, name), type }));
  switch (noun.word) {
    case environmentNoun.word:
      return to("made-from", templateNoun, textsAt(spec, "templates"));
    case resourceNoun.word:
      return [
        ...to("depends-on", resourceNoun, textsAt(spec, "dependsOn")),
        ...to("depends-on", externalNoun, textsAt(spec, "externals")),
        ...to("belongs-to", environmentNoun, [textAt(spec, "environment")]),
        ...to("made-from", templateNoun, [textAt(spec, "template")]),
      ];
    case groupNoun.word:
      return [
        ...to("depends-on", groupNoun, textsAt(spec, "dependsOn")),
        ...to(
          "belongs-to",
          resourceNoun,
          objectsAt(spec, "resources").map((link) => textAt(link, "id")),
        ),
      ];
    case externalNoun.word:
      return standsFor(namespace, spec);
    default:
      return [];
  }
}

/** The target of a resource of another environment has the name of that resource. */
function standsFor(namespace: string, spec: Json | undefined): readonly IndexEdge[] {
  const name = textAt(spec, "resource", "name");
  if (name === "") return [];
  return [{ to: entryId(resourceNoun.word, namespace, name), type: "depends-on" }];
}

/** Every text of a document up to a bound, without the names of its fields. */
function textsIn(document: Json | undefined): readonly string[] {
  const found: string[] = [];
  let left: number = textIndexLimits.maxFieldChars;
  const visit = (value: Json | undefined): void => {
    if (left <= 0 || value === undefined) return;
    if (typeof value === "string") {
      found.push(value);
      left -= value.length + 1;
    } else if (isJsonArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) Object.values(value).forEach(visit);
  };
  visit(document);
  return found;
}
