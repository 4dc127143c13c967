// What descriptions say in plain words. People write "assigned by the server" where they could have
// written readOnly, and lists of the fields that a request takes where two schemas would have been
// work. Such sentences are guesses when they speak of a field, and quite reliable when they list
// fields.

/** "The only fields … which can be modified are: kind, masters, and account." */
export function fieldsListedIn(
  description: string,
  names: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const [, list] = listing.exec(description) ?? [];
  if (list === undefined) return undefined;
  const words = list.split(/[^\w$-]+/).filter((word) => names.has(word));
  return words.length < 2 ? undefined : new Set(words);
}

const listing = new RegExp(
  String.raw`\bonly\b[^.:]{0,120}\bfields?\b[^.:]{0,120}` +
    String.raw`\b(?:modified|changed|updated|set|edited)\b[^.:]{0,40}?` +
    String.raw`(?:\bare\b|\bis\b|:)\s*:?\s*([^.]{1,2000})`,
  "i",
);

export type Spoken = "read-only" | "create-only" | "write-only";

/** What the description of a field says of it, if it does. */
export function spokenClass(description: string): Spoken | undefined {
  const text = description.slice(0, 1_000);
  return sentences.find(([, pattern]) => pattern.test(text))?.[0];
}

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "i");
}

const sentences: readonly (readonly [Spoken, RegExp])[] = [
  [
    "write-only",
    anyOf(
      String.raw`\bmust not be (?:sent|returned) by the server\b`,
      String.raw`\bwrite[- ]only\b`,
      String.raw`\b(?:never|not) (?:be )?returned\b`,
    ),
  ],
  [
    "read-only",
    anyOf(
      String.raw`\bread[- ]?only\b`,
      String.raw`\boutput[- ]only\b`,
      String.raw`\b(?:assigned|generated|populated|computed|calculated|set|maintained) ` +
        String.raw`(?:automatically )?by the (?:server|service|system)\b`,
      String.raw`^set to [“"']`,
      String.raw`\bserver[- ](?:generated|assigned)\b`,
      String.raw`\bignored on (?:input|write|create)`,
    ),
  ],
  [
    "create-only",
    anyOf(
      String.raw`\b(?:cannot|can't|can not|may not|must not|not be) (?:be )?` +
        String.raw`(?:changed|modified|updated|altered)\b`,
      String.raw`\bimmutable\b`,
      String.raw`\bonly (?:be )?(?:set|specified|used|provided|valid)? ?` +
        String.raw`(?:during|at|on|when|upon) (?:creat\w+|provision\w+)`,
      String.raw`\bwhen creating an?\b`,
      String.raw`\bduring creation\b`,
    ),
  ],
];
