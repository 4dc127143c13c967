/**
 * Tells when the definition of a kind that modules work on is deleted while the server runs: from
 * then on its resources are not found, and whoever looks for them would not know why.
 */
import { definitionsKind } from "../intents/kinds/definition-kinds.ts";
import type { LiveView } from "../intents/live-view.ts";
import type { Logger } from "../telemetry/log.ts";
import type { LoadedModule } from "./load-modules.ts";

export function reportDeletedDefinitions(
  live: Pick<LiveView, "follow">,
  modules: readonly LoadedModule[],
  log: Logger,
): void {
  const advice = new Map(
    modules.flatMap(({ name, kinds }) =>
      kinds.map(({ id, kind }) => [id, { module: name, message: gone(kind !== undefined) }]),
    ),
  );
  live.follow(definitionsKind, (after, before) => {
    if (after !== undefined || before === undefined) return;
    const { name: definition } = before.key;
    const { module, message } = advice.get(definition) ?? {};
    if (message !== undefined) log.warn({ module, definition }, message);
  });
}

/** Definitions that a module only names are made by others. */
function gone(isInstalled: boolean): string {
  return isInstalled
    ? "definition of a module kind deleted; restart the server to install it again"
    : "definition of a module kind deleted; create it again to serve the kind";
}
