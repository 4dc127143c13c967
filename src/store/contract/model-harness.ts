/** The model as a store under test: "opening again" is a new model on the state of the old one. */
import { manualClock } from "../../kernel/clock.ts";
import type { OpenStore } from "./harness.ts";
import { ModelStore } from "./model.ts";

export const openModel: OpenStore = async () => {
  const clock = manualClock();
  let store = new ModelStore(clock);
  return {
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      store = new ModelStore(clock, store.state);
      return store;
    },
    async advanceClock(ms) {
      clock.advanceMs(ms);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
    },
  };
};
