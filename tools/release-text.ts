// The texts that a release changes: pure functions, without files.

const heading = "## Unreleased";

/** The changelog with its unreleased entries under the version; undefined when there are none. */
export function changelogWith(text: string, version: string, date: string): string | undefined {
  const start = text.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no line "${heading}"`);
  const rest = text.slice(start + heading.length);
  const next = rest.search(/^## /m);
  const entries = next < 0 ? rest : rest.slice(0, next);
  if (entries.trim() === "") return undefined;
  return `${text.slice(0, start)}${heading}\n\n## ${version} (${date})${rest}`;
}

/** The entries of a version; undefined when the changelog does not have it. */
export function sectionOf(text: string, version: string): string | undefined {
  const start = text.search(new RegExp(`^## ${RegExp.escape(version)} \\(`, "m"));
  if (start < 0) return undefined;
  const [, ...lines] = text.slice(start).split("\n");
  const end = lines.findIndex((line) => line.startsWith("## "));
  return (end < 0 ? lines : lines.slice(0, end)).join("\n").trim();
}

/** Whether both are versions such as 1.2.3, and the first is the later one. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map(numbersOf);
  if (a === undefined || b === undefined) return false;
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function numbersOf(version: string): readonly number[] | undefined {
  const found = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  return found?.slice(1).map(Number);
}

/** Names of the tarball and the image, and the versions of the package and the chart. */
export function replaceVersion(text: string, from: string, to: string): string {
  const before = String.raw`(?<=setpoint[-:]|^(?:appVersion|version): |^  "version": ")`;
  return text.replace(new RegExp(`${before}${RegExp.escape(from)}(?![\\d.]*\\d)`, "gm"), () => to);
}

/** The lock file states the version twice, and libraries may have the same one. */
export function replaceLockVersion(text: string, to: string): string {
  const lock = JSON.parse(text) as { version: string; packages: { "": { version: string } } };
  lock.version = to;
  lock.packages[""].version = to;
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}
