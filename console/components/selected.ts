// The resource that the page is about: keys and the palette act on it.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Subject } from "../actions/action.ts";

export const selected = signal<Subject | undefined>(undefined);

export function useSelected(subject: Subject | undefined): void {
  useEffect(() => {
    selected.value = subject;
  });
  useEffect(
    () => () => {
      selected.value = undefined;
    },
    [],
  );
}
