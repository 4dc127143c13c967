/** Names that only one of the modules of a server can have. */
import type { LoadedModule } from "./load-modules.ts";

/** A name of the module that another module, or it itself, has declared; undefined: none. */
export function conflictWith(
  earlier: readonly LoadedModule[],
  module: LoadedModule,
): string | undefined {
  const twice = firstRepeated(module.kinds.map(({ id }) => id));
  if (twice !== undefined) return `declares the kind ${twice} twice`;
  for (const other of earlier) {
    if (other.name === module.name) return `has the same name as ${other.file}: ${module.name}`;
    for (const [what, namesIn] of Object.entries(declared)) {
      const taken = new Set(namesIn(other));
      const shared = namesIn(module).find((name) => taken.has(name));
      if (shared === undefined) continue;
      return `declares the ${what} ${shared}, which ${other.file} also declares`;
    }
  }
  return undefined;
}

const declared: Readonly<Record<string, (module: LoadedModule) => readonly string[]>> = {
  system: ({ systems }) => Object.keys(systems),
  metric: ({ metrics = {} }) => Object.keys(metrics),
  kind: ({ kinds }) => kinds.map(({ id }) => id),
};

function firstRepeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
