// Names of fields as expressions write them: "namespace" is a reserved word and "a-b" a
// subtraction, so they become "__namespace__" and "a__dash__b". A name with any other character
// cannot be written at all, and its field cannot be reached.

const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);

/** A reserved word can be selected as it is, too, as nothing else can stand there. */
export function isReserved(name: string): boolean {
  return reserved.has(name);
}

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Undefined when the name cannot be written. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^\d/.test(name) || /[^\w.\-/]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[.\-/]/g, (found) => escapes[found] ?? found);
}
