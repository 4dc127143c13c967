// The fieldPath of a rule: ".spec.size" or ".labels['a.b']", relative to where the rule is. It
// must lead along the schema, and is shown as field errors show paths: "spec.size", "labels[a.b]".

import type { Schema } from "../schema/schema.ts";

/** Undefined when the path cannot be read or leads nowhere. */
export function normalizeFieldPath(path: string, root: Schema): string | undefined {
  let schema: Schema | undefined = root;
  let shown = "";
  let rest = path;
  while (rest !== "") {
    const step = /^\.([^.[\]]+)|^\['((?:[^'\\]|\\.)*)'\]/s.exec(rest);
    if (step === null || schema === undefined) return undefined;
    const name = step[1] ?? unescape(step[2] ?? "");
    if (name === undefined) return undefined;
    rest = rest.slice(step[0].length);
    if (schema.properties.size > 0) {
      schema = schema.properties.get(name);
      if (schema === undefined) return undefined;
      shown += shown === "" ? name : `.${name}`;
    } else if (typeof schema.additionalProperties === "object") {
      schema = schema.additionalProperties;
      shown += `[${name}]`;
    } else return undefined;
  }
  return shown;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unescape(text: string): string | undefined {
  let isValid = true;
  const plain = text.replaceAll(/\\(.)/gs, (_, letter: string) => {
    const found = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (found === undefined) isValid = false;
    return found ?? "";
  });
  return isValid ? plain : undefined;
}
