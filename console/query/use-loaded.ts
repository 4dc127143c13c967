// Something that is loaded once, such as the code of a large part of a page.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const state = useSignal<Loaded<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    const start = async (): Promise<void> => {
      try {
        state.value = { value: await load(), error: undefined };
      } catch (reason) {
        const error = reason instanceof Error ? reason : new Error(String(reason));
        state.value = { value: undefined, error };
      }
    };
    void start();
  }, []);
  return state.value;
}
