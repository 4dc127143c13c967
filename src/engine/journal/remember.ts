// Values that are made once: passwords, suffixes, ids. A value is stored, sealed, before anybody
// gets to see it, so whatever was done with it can be found again after a crash. It stays the same
// for as long as the resource lives, however often and by whichever process it is asked for.

import type { Json } from "../../kernel/json.ts";
import { checkJournalValue } from "./journal.ts";
import type { Journal } from "./journal.ts";

export type Remember = <T extends Json>(name: string, make: () => Promise<T> | T) => Promise<T>;

export function rememberIn(journal: Journal): Remember {
  /** Being made right now: who asks at the same time gets the same. */
  const pending = new Map<string, Promise<Json>>();

  const obtain = async (name: string, make: () => Promise<Json> | Json): Promise<Json> => {
    const stored = (await journal.read()).remembered.get(name);
    if (stored !== undefined) return stored;
    const made = await make();
    checkJournalValue(`the remembered value ${JSON.stringify(name)}`, made);
    const value = structuredClone(made);
    await journal.change((content) => ({
      ...content,
      remembered: new Map(content.remembered).set(name, value),
    }));
    return value;
  };

  const remember = async (name: string, make: () => Promise<Json> | Json): Promise<Json> => {
    let value = pending.get(name);
    if (value === undefined) {
      value = obtain(name, make).finally(() => pending.delete(name));
      pending.set(name, value);
    }
    return structuredClone(await value);
  };
  // The author says what type the value has; it was checked when it was made.
  return remember as Remember;
}
