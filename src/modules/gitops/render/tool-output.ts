// What a tool printed: its manifests, in parts, and its errors without the contents of files. Pure.

import type { ManifestFile } from "./reading.ts";

export interface Printed {
  readonly file: ManifestFile;
  readonly contents: Uint8Array;
}

const separator = Buffer.from("\n---");
/** Definitions of the folder crds have no name of a chart before them. */
const source = /^# Source: (?!crds\/)[^/\n]+\/(.+)$|^# Source: (.+)$/m;

/**
 * The documents in the order of the output. YAML has no line that begins with --- inside of a
 * document. Documents of one file that follow each other are one text.
 */
export function printedFiles(
  output: Buffer,
  place: (template: string | undefined) => string,
  maxBytes: number,
): readonly Printed[] {
  const found: { path: string; from: number; to: number }[] = [];
  for (let from = 0; from < output.length;) {
    const at = output.indexOf(separator, from + 1);
    const to = at < 0 ? output.length : at + 1;
    const head = output.toString("utf8", from, Math.min(to, from + 1_024));
    const [, ofChart, ofFolder] = source.exec(head) ?? [];
    const path = place(ofChart ?? ofFolder);
    const last = found.at(-1);
    if (last?.path === path && to - last.from <= maxBytes) last.to = to;
    else found.push({ path, from, to });
    from = to;
  }
  return found.map(({ path, from, to }) => ({
    file: { path, bytes: to - from },
    contents: output.subarray(from, to),
  }));
}

const maxChars = 1_000;

/**
 * The error of a tool as one line. What it quotes of files is left out, since a file can be a
 * Secret: texts in backquotes, and lists in brackets with several words.
 */
export function toolError(stderr: string): string {
  const text = [...stderr.matchAll(/err="((?:[^"\\]|\\.)*)"/g)].at(-1)?.[1];
  const plain = text === undefined ? stderr : unquoted(text);
  const line = plain
    .replaceAll(/`[^`]*`/g, "(text)")
    .replaceAll(/\[[^\]]*\s[^\]]*\]/g, "(text)")
    .split("\n")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !/^(?:#|W\d{4} |WARNING|walk\.go)/.test(each))
    .join(" ")
    .replace(/^(?:error|Error): /, "")
    .replace(/ Use --debug flag .*$/, "")
    .replaceAll(/\/work\/?/g, "")
    .replaceAll("/given/", "");
  return line.length <= maxChars ? line : `${line.slice(0, maxChars)}…`;
}

/** Of a text that Go has quoted. */
function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
}

/** Why kustomize refused a tree, where it is about files and places outside of it. */
export function outsideReason(stderr: string): "PathEscapes" | "RemoteBaseRefused" | undefined {
  const text = stderr.replaceAll('\\"', '"');
  const isRemote =
    /accumulating (?:resources|components) from '(?:[a-z][\w+.-]*:\/\/|git::|[\w.-]+@[\w.-]+[:/])/i;
  const tried =
    /no 'git' program on path|dial (?:tcp|udp)|: lookup \S+|\bGet "https?:|URL is a git repository/;
  if (isRemote.test(text) || tried.test(text)) return "RemoteBaseRefused";
  const ofMachine = /(?:lstat|stat|open|on) '?\/(?!(?:work|given)(?:[/'" :]|$))/;
  const escapes = /is not in or below|cannot be absolute/.test(text) || ofMachine.test(text);
  return escapes ? "PathEscapes" : undefined;
}
