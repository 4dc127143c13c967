// Who deletes the definition of a module's kind reads in the log what that means.
import assert from "node:assert/strict";
import { it } from "node:test";
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { LiveListener, LiveRecord } from "../intents/live-view.ts";
import type { KindInput } from "../kernel/kind.ts";
import { manualClock } from "../kernel/clock.ts";
import { logger } from "../telemetry/log.ts";
import { reportDeletedDefinitions } from "./deleted-definitions.ts";

function recordOf(name: string): LiveRecord {
  const key = { kind: definitionsKind, namespace: "", name };
  return { key, revision: 1, resource: {} as LiveRecord["resource"] };
}

it("warns of a definition that is gone, with the module and what to do, and of no other", () => {
  let listener: LiveListener = () => undefined;
  const live = {
    follow: (_: string, given: LiveListener) => {
      listener = given;
      return () => undefined;
    },
  };
  const reconciler = { kind: "", reconcile: () => Promise.reject(new Error("not here")) };
  const kinds = [
    { id: "notices.board.example", kind: {} as KindInput, reconciler },
    { id: "others.example", reconciler },
  ];
  const modules = [{ file: "notice.ts", name: "board", version: 1, kinds, systems: {} }];
  let log = "";
  reportDeletedDefinitions(
    live,
    modules,
    logger((text) => void (log += text), manualClock()),
  );

  listener(recordOf("notices.board.example"), undefined);
  listener(recordOf("notices.board.example"), recordOf("notices.board.example"));
  listener(undefined, recordOf("strangers.example"));
  assert.equal(log, "");
  listener(undefined, recordOf("notices.board.example"));
  assert.match(log, /"level":"warn"/);
  assert.match(log, /"module":"board","definition":"notices\.board\.example"/);
  assert.match(log, /definition of a module kind deleted; restart the server/);
  listener(undefined, recordOf("others.example"));
  assert.match(log, /deleted; create it again to serve the kind/);
});
