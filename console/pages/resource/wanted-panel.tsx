import type { Resource } from "../../api/types.ts";
import { Notch } from "../../components/notch.tsx";
import { Panel } from "../../ui/panel.tsx";
import { wantedAndSeen } from "./wanted-seen.ts";

/** Numbers that both the spec and the status have. */
export function WantedPanel({ document }: { document: Resource }) {
  const pairs = wantedAndSeen(document);
  if (pairs.length === 0) return null;
  return (
    <Panel title="Wanted and seen" isPadded>
      {pairs.map((pair) => (
        <Notch key={pair.label} {...pair} />
      ))}
    </Panel>
  );
}
