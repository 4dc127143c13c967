// Replaces secrets in texts, in every form in which URLs, HTML forms and JSON contain them.
// External systems often repeat what they received, above all when they refuse it.

/** Returns the text without the secrets. */
export type Hide = (text: string) => string;

/** A shorter secret is also a part of many texts that contain no secret. */
const shortest = 4;
const shown = "[hidden]";

export function hider(secrets: readonly string[]): Hide {
  const forms = secrets.flatMap((secret) => (secret.length < shortest ? [] : formsOf(secret)));
  // The longer first, because one secret may contain another.
  const all = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  if (all.length === 0) return (text) => text;
  return (text) => all.reduce((left, form) => left.replaceAll(form, shown), text);
}

function formsOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ "": secret }).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
  ];
}
