/**
 * Functions of extensions, such as Connect hooks and the converters of a face, run inside of
 * requests and runs. Each is called as an activity of its own, so that the watchdog names the
 * module and the function.
 */
import type { ExtensionEntry } from "../../contract/user-module.ts";
import { currentActivity, during } from "../../kernel/activity.ts";

type Call = (this: unknown, ...given: unknown[]) => unknown;

export function namedHooks(entry: ExtensionEntry): ExtensionEntry {
  const { module, point, value } = entry;
  return { ...entry, value: named(value, module, point) };
}

/** An instance of a class stays as it is: its methods may use private fields. */
function named(value: unknown, module: string, path: string): unknown {
  if (typeof value === "function") return namedFunction(value as Call, module, path);
  if (Array.isArray(value)) {
    return value.map((each: unknown, index) => named(each, module, `${path}[${index}]`));
  }
  const isPlain = typeof value === "object" && value !== null;
  if (!isPlain || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    named(field, module, `${path}.${name}`),
  ]);
  return Object.fromEntries(fields) as unknown;
}

function namedFunction(hook: Call, module: string, path: string): Call {
  return function called(...given) {
    const within = currentActivity();
    const activity = {
      within,
      brief: () => `${path} of ${module}`,
      facts: () => ({ hook: path, module, ...(within === undefined ? { activity: "hook" } : {}) }),
    };
    return during(activity, () => hook.apply(this, given));
  };
}
