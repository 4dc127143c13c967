// Deletions that wait for a confirmation. The banner of the page has the action.

import { pruneReason } from "../../actions/gitops-actions.ts";
import type { Deployment } from "../../api/gitops.ts";
import { StateIcon } from "../../components/state.tsx";
import { plural } from "../../format/number.ts";
import { Panel } from "../../ui/panel.tsx";

export function HeldPanel({ deployment }: { deployment: Deployment }) {
  const held = deployment.status?.prune;
  if (held === undefined) return null;
  const { named = [], objects = 0, hash } = held;
  const rest = objects - named.length;
  const isConfirmed = hash === deployment.spec.syncPolicy?.confirmPrune;
  return (
    <Panel
      title={isConfirmed ? "Confirmed deletions" : "Deletions that wait"}
      note={pruneReason(held)[0]}
      side={
        <StateIcon
          look={
            isConfirmed
              ? { tone: "deleting", word: "Confirmed" }
              : { tone: "waiting", word: "Not confirmed" }
          }
        />
      }
    >
      <ul class="held" aria-label="Objects that would be deleted">
        {named.map(({ kind, namespace, name }) => (
          <li key={`${kind} ${namespace} ${name}`}>
            <span class="muted">{kind}/</span>
            <span class="mono">{name}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p class="muted small panel-body">and {plural(rest, "more object")}</p>}
    </Panel>
  );
}
