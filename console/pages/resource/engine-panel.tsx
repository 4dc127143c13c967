import type { ComponentChildren } from "preact";
import type { Explanation, JsonRecord, Resource } from "../../api/types.ts";
import { spanText } from "../../format/time.ts";
import { countText } from "../../format/number.ts";
import { Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";

interface EnginePanelProps {
  readonly document: Resource;
  readonly why: Explanation | undefined;
}

/** What the engine knows about the resource. */
export function EnginePanel({ document: { metadata, status }, why }: EnginePanelProps) {
  const { generation, labels = {}, annotations = {}, finalizers = [] } = metadata;
  const reconcile = recordAt(status, "reconcile");
  const lastRun = recordAt(reconcile, "lastRun");
  const seen = status?.["observedGeneration"];
  const facts: (readonly [string, ComponentChildren])[] = [];
  const add = (name: string, value: ComponentChildren): void => {
    facts.push([name, value]);
  };
  const seenText = typeof seen === "number" ? `, ${countText(seen)} seen` : "";
  if (generation !== undefined) add("Generation", `${countText(generation)} wanted${seenText}`);
  const attempts = reconcile?.["attempts"];
  if (typeof attempts === "number") add("Attempts", `${countText(attempts)} failed`);
  const next = textAt(reconcile, "nextAttempt");
  if (next !== undefined) add("Next run", <Time at={next} />);
  const startedAt = textAt(lastRun, "startedAt");
  if (startedAt !== undefined) {
    const took = lastRun?.["tookMs"];
    const span = typeof took === "number" ? `, ${spanText(took)}` : "";
    add(
      "Last run",
      <>
        {textAt(lastRun, "outcome")}
        {span}, <Time at={startedAt} />
      </>,
    );
  }
  const worker = textAt(lastRun, "worker");
  if (worker !== undefined) add("Worker", <code>{worker}</code>);
  const externalId = textAt(reconcile, "externalId");
  if (externalId !== undefined) add("External id", <code>{externalId}</code>);
  if (why?.resource.state !== "Unhandled") {
    add("Policy", annotations["setpoint.dev/policy"] ?? "manage");
  }
  if (finalizers.length > 0) add("Finalizers", <Words words={finalizers} />);
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  if (pairs.length > 0) add("Labels", <Words words={pairs} />);
  return (
    <Panel title="Engine">
      <Facts facts={facts} />
    </Panel>
  );
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <ul>
      {words.map((word) => (
        <li key={word}>
          <code>{word}</code>
        </li>
      ))}
    </ul>
  );
}

function recordAt(value: JsonRecord | undefined, name: string): JsonRecord | undefined {
  const found = value?.[name];
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? (found as JsonRecord)
    : undefined;
}

function textAt(value: JsonRecord | undefined, name: string): string | undefined {
  const found = value?.[name];
  return typeof found === "string" ? found : undefined;
}
