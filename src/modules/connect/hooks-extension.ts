// The extension point `connect` of user modules: hooks for kinds that are kept in services.

import type { ExtensionEntry, ExtensionPoint } from "../../contract/user-module.ts";
import type { ConnectHooks } from "./authoring.ts";
import type { NamedHooks } from "./loop/hooks.ts";

const point = "connect";

const hookNames: Readonly<Record<Exclude<keyof ConnectHooks, "kind">, true>> = {
  mapDesired: true,
  mapObserved: true,
  beforeSend: true,
  classifyError: true,
  chooseVerb: true,
  isReady: true,
  exportSecrets: true,
  validate: true,
};

export const hooksExtension: ExtensionPoint = {
  name: point,
  of: "module",
  problem: (value, field) => {
    if (!Array.isArray(value)) return `${field} must be a list`;
    for (const [index, entry] of (value as readonly unknown[]).entries()) {
      const problem = hooksProblem(entry, `${field}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

/** An unknown hook would never be called, so it is refused. */
function hooksProblem(entry: unknown, field: string): string | undefined {
  if (typeof entry !== "object" || entry === null) return `${field} must have a kind and hooks`;
  const { kind, ...hooks } = entry as ConnectHooks;
  if (typeof kind !== "string") return `${field}.kind must be the id of a kind`;
  for (const [name, hook] of Object.entries(hooks)) {
    if (!Object.hasOwn(hookNames, name)) {
      const known = Object.keys(hookNames).join(", ");
      return `${field}.${name} is not a known hook; known hooks: ${known}`;
    }
    if (typeof hook !== "function") return `${field}.${name} must be a function`;
  }
  return undefined;
}

/** In the order in which they are called. */
export function hooksIn(extensions: readonly ExtensionEntry[]): readonly NamedHooks[] {
  return extensions.flatMap(({ point: of, module, value }) => {
    if (of !== point) return [];
    return (value as readonly ConnectHooks[]).map((hooks) => ({ module, hooks }));
  });
}
