// The order of API versions that Kubernetes clients expect: stable before beta before alpha, then
// by number, and names that are no such version last. The first served version of a group is the
// one clients prefer, so discovery and storage must agree on this one order.

const kubeVersion = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Negative when `a` comes before `b`, that is, when `a` is preferred. */
export function compareVersions(a: string, b: string): number {
  const left = parsedVersion(a);
  const right = parsedVersion(b);
  if (left === undefined && right === undefined) return compareText(a, b);
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

interface ParsedVersion {
  /** 2 for stable, 1 for beta, 0 for alpha. */
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

function parsedVersion(text: string): ParsedVersion | undefined {
  const match = kubeVersion.exec(text);
  if (match === null) return undefined;
  const [, major = "", stage, minor = "0"] = match;
  const rank = stage === undefined ? 2 : Number(stage === "beta");
  return { stage: rank, major: Number(major), minor: Number(minor) };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
