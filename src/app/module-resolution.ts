/**
 * Makes `import ... from "setpoint"` lead to this program's own files, from any folder: an author
 * needs no package, and a module always has the very engine that runs it. Only these names are
 * touched; everything else is found as Node.js finds it.
 */
import { registerHooks } from "node:module";

const own: ReadonlyMap<string, string> = new Map([
  ["setpoint", import.meta.resolve("../authoring/setpoint.ts")],
  ["setpoint/testing", import.meta.resolve("../testing/testing.ts")],
]);

let isOn = false;

export function resolveOwnNames(): void {
  if (isOn) return;
  isOn = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = own.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
