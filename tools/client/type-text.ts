// The TypeScript types of JSON Schemas, as text. A schema of an object that occurs more than once,
// or that is an answer or a body of its own, gets a name; the others are written in place.
import { getOwn, isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { withoutKey } from "../../src/kernel/without-key.ts";
import { listAt, objectAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";

/** Shorter types are written in place. */
const minNamedChars = 120;
const maxColumns = 100;

export class TypeNames {
  readonly #names = new Map<string, string>();
  readonly #uses = new Map<string, number>();
  readonly #taken = new Set<string>();
  readonly texts = new Map<string, string>();

  /** Counts the objects in a schema. */
  count(schema: Json | undefined): void {
    if (!isJsonObject(schema)) return;
    if (isNamable(schema)) {
      const key = keyOf(schema);
      const uses = (this.#uses.get(key) ?? 0) + 1;
      this.#uses.set(key, uses);
      // What is inside is written once.
      if (uses > 1) return;
    }
    for (const part of partsOf(schema)) this.count(part.schema);
  }

  /** Gives an answer or a body its name before it is written as a part of another. */
  reserve(schema: JsonObject, name: string): void {
    if (isNamable(schema) && !this.#names.has(keyOf(schema))) {
      this.#names.set(keyOf(schema), this.#free(name));
    }
  }

  /** The type of an answer or a body. */
  named(schema: JsonObject, name: string): string {
    return isNamable(schema) ? this.#nameOf(schema, name) : this.text(schema, name);
  }

  text(schema: Json | undefined, name: string, indent = ""): string {
    if (!isJsonObject(schema)) return "Json";
    const reference = textAt(schema, "$ref");
    if (reference !== "") return reference.slice(reference.lastIndexOf("/") + 1);
    const key = keyOf(schema);
    const isShared = this.#names.has(key) || (this.#uses.get(key) ?? 0) > 1;
    if (isNamable(schema) && isShared) return this.#nameOf(schema, name);
    return this.#inPlace(schema, name, indent);
  }

  #nameOf(schema: JsonObject, wanted: string): string {
    const key = keyOf(schema);
    const name = this.#names.get(key) ?? this.#free(wanted);
    this.#names.set(key, name);
    if (this.texts.has(name)) return name;
    // It may be a part of itself.
    this.texts.set(name, "");
    this.texts.set(name, this.#inPlace(schema, name, ""));
    return name;
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}${number}`;
    this.#taken.add(name);
    return name;
  }

  #inPlace(schema: JsonObject, name: string, indent: string): string {
    const choices = objectsAt(schema, "oneOf").concat(objectsAt(schema, "anyOf"));
    if (choices.length > 0) {
      return union(choices.map((each, at) => this.text(each, `${name}${at + 1}`, indent)));
    }
    const values = listAt(schema, "enum");
    if (values.length > 0) {
      const texts = values.map((value) => JSON.stringify(value));
      return union(texts, indent);
    }
    const types =
      textAt(schema, "type") === "" ? textsAt(schema, "type") : [textAt(schema, "type")];
    if (types.length === 0) return "Json";
    return union(types.map((type) => this.#ofType(type, schema, name, indent)));
  }

  #ofType(type: string, schema: JsonObject, name: string, indent: string): string {
    switch (type) {
      case "integer":
      case "number":
        return "number";
      case "boolean":
      case "string":
      case "null":
        return type;
      case "array": {
        const item = this.text(getOwn(schema, "items"), `${name}Item`, indent);
        return `readonly ${/^[\w.]+$|^\{[^]*\}$/.test(item) ? item : `(${item})`}[]`;
      }
      default:
        return this.#object(schema, name, indent);
    }
  }

  #object(schema: JsonObject, name: string, indent: string): string {
    const properties = objectAt(schema, "properties");
    const required = textsAt(schema, "required");
    const inner = `${indent}  `;
    const fields = Object.keys(properties).flatMap((key) => {
      const value = objectAt(properties, key);
      const mark = required.includes(key) ? "" : "?";
      const type = this.text(value, `${name}${capital(key)}`, inner);
      const about = textAt(value, "description");
      return comment(about, inner).concat(`${inner}readonly ${fieldName(key)}${mark}: ${type};`);
    });
    if (fields.length > 0) return ["{", ...fields, `${indent}}`].join("\n");
    const values = getOwn(schema, "additionalProperties");
    if (!isJsonObject(values)) return "JsonObject";
    return `{ readonly [key: string]: ${this.text(values, `${name}Value`, indent)} }`;
  }
}

export function comment(text: string, indent: string): readonly string[] {
  if (text === "") return [];
  const whole = `${indent}/** ${text} */`;
  if (whole.length <= maxColumns) return [whole];
  const lines: string[] = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + indent.length + 4 > maxColumns) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

export function capital(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
}

function fieldName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function union(choices: readonly string[], indent = ""): string {
  const unique = [...new Set(choices)];
  const line = unique.join(" | ");
  if (line.length < maxColumns - 40 || unique.length === 1) return line;
  return unique.map((each) => `\n${indent}    | ${each}`).join("");
}

function isNamable(schema: JsonObject): boolean {
  return textAt(schema, "type") === "object" && keyOf(schema).length >= minNamedChars;
}

function keyOf(schema: JsonObject): string {
  return JSON.stringify(withoutKey(schema, "description"));
}

function partsOf(schema: JsonObject): readonly { readonly schema: Json | undefined }[] {
  return [
    ...Object.values(objectAt(schema, "properties")),
    getOwn(schema, "items"),
    getOwn(schema, "additionalProperties"),
    ...listAt(schema, "oneOf"),
    ...listAt(schema, "anyOf"),
  ].map((part) => ({ schema: part }));
}
