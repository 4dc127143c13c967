// How subscriptions and operations look. The words are those of the protocol.

import type { Look } from "../../states/states.ts";

const subscriptions: Readonly<Record<string, Look>> = {
  Registered: { tone: "ready", word: "Registered" },
  Unregistered: { tone: "paused", word: "Unregistered" },
  Warned: { tone: "waiting", word: "Warned" },
  Suspended: { tone: "paused", word: "Suspended" },
  Deleted: { tone: "deleting", word: "Deleted" },
};

const operations: Readonly<Record<string, Look>> = {
  Accepted: { tone: "progressing", word: "Accepted" },
  Succeeded: { tone: "ready", word: "Succeeded" },
  Failed: { tone: "failed", word: "Failed" },
  Canceled: { tone: "paused", word: "Canceled" },
};

export function subscriptionLook(state: string | undefined): Look {
  return subscriptions[state ?? ""] ?? { tone: "unknown", word: state ?? "Unknown" };
}

export function operationLook(state: string): Look {
  return operations[state] ?? { tone: "unknown", word: state || "Not seen yet" };
}

/** What the state allows; undefined when it allows everything. */
export function limitsOf(state: string | undefined): string | undefined {
  switch (state) {
    case "Registered":
      return undefined;
    case "Warned":
    case "Suspended":
      return "Its resources can be read and deleted. They cannot be changed.";
    default:
      return "Its resources can only be read.";
  }
}
