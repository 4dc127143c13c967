// What the user chose, kept in this browser.

import { effect, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { Zone } from "../format/time.ts";

export type Theme = "system" | "light" | "dark";
export type Density = "normal" | "compact";

export const theme = stored<Theme>("theme", "system", ["system", "light", "dark"]);
export const density = stored<Density>("density", "normal", ["normal", "compact"]);
export const zone = stored<Zone>("zone", "local", ["local", "UTC"]);
export const hasKeys = stored<"on" | "off">("keys", "on", ["on", "off"]);
/** The namespace of the switcher; empty: all. */
export const lastNamespace = stored<string>("namespace", "");

export function applySettings(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset["theme"];
    else dataset["theme"] = theme.value;
    dataset["density"] = density.value;
  });
}

function stored<T extends string>(name: string, usual: T, values?: readonly T[]): Signal<T> {
  const key = `setpoint.${name}`;
  const found = read(key) as T | null;
  const isValid = found !== null && (values === undefined || values.includes(found));
  const setting = signal<T>(isValid ? found : usual);
  effect(() => write(key, setting.value));
  return setting;
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // A browser without storage uses the defaults.
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The setting then lasts as long as the page.
  }
}
