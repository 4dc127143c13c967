import type { Condition, Metadata } from "../api/types.ts";
import { Icon } from "../ui/icon.tsx";
import { conditionTone } from "../states/states.ts";
import { Empty, sentence } from "../ui/notice.tsx";
import { Panel } from "../ui/panel.tsx";
import { Time } from "../ui/time.tsx";
import "./conditions-panel.css";

interface ConditionsProps {
  readonly document: {
    readonly metadata: Metadata;
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
}

export function ConditionsPanel({ document }: ConditionsProps) {
  const conditions = document.status?.conditions ?? [];
  const { generation = 0 } = document.metadata;
  return (
    <Panel title="Conditions">
      {conditions.length === 0 && <Empty>None are reported.</Empty>}
      {conditions.length > 0 && (
        <ul class="conditions">
          {conditions.map(({ type, status, reason = "", message = "", ...rest }) => {
            const tone = conditionTone(type, status, reason);
            const isOld = (rest.observedGeneration ?? generation) < generation;
            return (
              <li key={type}>
                <span class={`state t-${tone}`}>
                  <Icon name={tone} />
                  {type}: {status}
                </span>
                <span class="muted end">
                  <Time at={rest.lastTransitionTime} />
                </span>
                <p class="sub">
                  {[reason, message]
                    .filter((part) => part !== "")
                    .map(sentence)
                    .join(" ")}
                  {isOld && ` Of generation ${rest.observedGeneration}, before the last change.`}
                </p>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
