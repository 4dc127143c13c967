import type { JsonValue } from "../../api/types.ts";
import { Empty } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ConditionsPanel } from "../../components/conditions-panel.tsx";
import { EnginePanel } from "./engine-panel.tsx";
import { leavesOf } from "./status-fields.ts";
import type { TabProps } from "./tab-content.tsx";
import { WantedPanel } from "./wanted-panel.tsx";

export function StatusTab({ document, why }: TabProps) {
  if (document === undefined) return null;
  return (
    <div class="columns">
      <div class="stack">
        <FieldsPanel title="Reported" value={withoutEngine(document.status)} />
        <FieldsPanel title="Wanted" value={document.spec} />
      </div>
      <div class="stack">
        <ConditionsPanel document={document} />
        <WantedPanel document={document} />
        <EnginePanel document={document} why={why.data} />
      </div>
    </div>
  );
}

/** The conditions and the work of the engine have panels of their own. */
function withoutEngine(status: JsonValue | undefined): JsonValue | undefined {
  if (typeof status !== "object" || status === null || Array.isArray(status)) return status;
  return Object.fromEntries(
    Object.entries(status).filter(([name]) => !["conditions", "reconcile"].includes(name)),
  );
}

function FieldsPanel({ title, value }: { title: string; value: JsonValue | undefined }) {
  const leaves = leavesOf(value);
  return (
    <Panel title={title}>
      {leaves.length === 0 && <Empty>No fields.</Empty>}
      {leaves.length > 0 && (
        <table class="table fields">
          <tbody>
            {leaves.map(({ path, text }) => (
              <tr key={path}>
                <th scope="row">
                  <code>{path}</code>
                </th>
                <td class="mono">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
