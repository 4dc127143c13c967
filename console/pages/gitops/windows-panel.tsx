// When syncs may run: the windows of the deployment, and what the server says about now.

import type { Deployment, SyncWindow } from "../../api/gitops.ts";
import { StateIcon } from "../../components/state.tsx";
import { longSpanText } from "../../format/time.ts";
import { sentence } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

export function WindowsPanel({ deployment }: { deployment: Deployment }) {
  const windows = deployment.spec.syncPolicy?.windows ?? [];
  const held = deployment.status?.window ?? "";
  if (windows.length === 0 && held === "") return null;
  return (
    <Panel
      title="Sync windows"
      side={
        <StateIcon
          look={
            held === ""
              ? { tone: "ready", word: "Syncs may run" }
              : { tone: "waiting", word: "Syncs wait" }
          }
        />
      }
    >
      {held !== "" && <p class="panel-body node-message">{sentence(held)}</p>}
      {windows.length > 0 && (
        <table class="table" aria-label="Sync windows">
          <tbody>
            {windows.map((window) => (
              <WindowRow key={`${window.kind} ${window.schedule}`} window={window} />
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function WindowRow({ window }: { window: SyncWindow }) {
  const { kind, schedule, durationSeconds, timeZone = "UTC", manualSync } = window;
  return (
    <tr>
      <td class="strong nowrap">{kind === "allow" ? "Only in" : "Not in"}</td>
      <td>
        <code>{schedule}</code> <span class="muted">{timeZone}</span>
        <span class="sub">
          for {longSpanText(durationSeconds * 1_000)}
          {manualSync === true && ", sync runs pass"}
        </span>
      </td>
    </tr>
  );
}
