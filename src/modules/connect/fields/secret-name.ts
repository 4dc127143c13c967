// Whether a field is a secret by its name: passwords, tokens, keys and credentials. Documents
// rarely mark them, and a secret that is taken for plain text is stored and printed. A plain text
// that is taken for a secret is only hidden, and its owner can set `isSecret: false` in the
// RestKind. The rules prefer to hide, except for names that only describe a secret (token_type).

import type { SchemaNode } from "../document/tree.ts";
import { wordsOf } from "../import/words.ts";

/** For the field itself; what is below a secret is secret as well. */
export function isSecretField(node: SchemaNode): boolean {
  const { types, keywords, description, properties, items, additional } = node;
  const isObject = properties.size > 0 || items !== undefined;
  if (isObject || additional !== undefined) return isSecretMap(node);
  const isText = types.length === 0 || types.includes("string");
  const { format, enum: values } = keywords;
  const isPlain =
    values !== undefined || plainFormats.has(typeof format === "string" ? format : "");
  if (!isText || isPlain || namesASecret(description)) return false;
  return isSecretName(node.name);
}

/** A map of texts that is called after what is in it: `secrets`, `credentials`. */
function isSecretMap({ name, additional, properties }: SchemaNode): boolean {
  const isOfTexts = additional !== undefined && additional !== true && properties.size === 0;
  return isOfTexts && additional.types.includes("string") && isSecretName(name);
}

const plainFormats = new Set(["date", "date-time", "uri", "url", "email", "hostname", "duration"]);

/** "The name of the secret": the text is a reference. */
function namesASecret(description: string): boolean {
  return reference.test(description.slice(0, 300));
}

const reference = new RegExp(
  String.raw`\b(?:names?|ids?|identifiers?|references?|paths?|urls?|uris?|types?|kinds?) ` +
    String.raw`(?:of|to|for) (?:an? |the )?(?:\w+ ){0,3}` +
    String.raw`(?:secret|token|key|password|credentials?)\b`,
  "i",
);

export function isSecretName(name: string): boolean {
  const words = withoutForm(wordsOf(name));
  const last = singular(words.at(-1) ?? "");
  const before = words.at(-2) ?? "";
  if (notSecret.has(words[0] ?? "") && words.length > 1) return false;
  if (last === "token") return !words.some((word) => pagingWords.has(word));
  if (last === "key") return keyWords.has(before);
  if (last === "hash") return secretWords.has(before);
  if (last === "string") return before === "connection";
  return secretWords.has(last);
}

/** "private_key_pem" is a private key. */
function withoutForm(words: readonly string[]): readonly string[] {
  const last = words.findLastIndex((word) => !forms.has(word));
  return last < 0 ? words : words.slice(0, last + 1);
}

function singular(word: string): string {
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

const forms = setOf("value data pem base64 b64 text plain plaintext");
const notSecret = setOf(
  "is has use uses require requires required allow enable enabled disable show hide num min max",
);
const pagingWords = setOf(
  "page next previous prev continuation continue pagination sync skip cursor idempotency stop",
);
/** The second line has names that are written as one word. */
const secretWords = setOf(
  "password passwd passphrase passcode pwd pass secret token credential psk " +
    "apikey apitoken authtoken accesstoken privatekey secretkey accesskey clientsecret",
);
/** What a key that must not be known is called after: `api_key`, but not `public_key`. */
const keyWords = setOf(
  "api private secret access auth authentication authorization signing sign encryption encrypt " +
    "shared preshared master account admin client tls ssl cert certificate hmac integration " +
    "license ssh storage service application app",
);
