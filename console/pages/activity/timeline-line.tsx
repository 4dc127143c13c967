import type { TimelineEntry } from "../../api/insight.ts";
import { kindNamed } from "../../api/kinds.ts";
import { StateIcon } from "../../components/state.tsx";
import { countText } from "../../format/number.ts";
import { clockText, longSpanText } from "../../format/time.ts";
import { paths, withQuery } from "../../paths.ts";
import { place } from "../../router/location.ts";
import { zone } from "../../settings/settings.ts";
import { Copy } from "../../ui/copy.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { ShapeName } from "../../ui/shapes.ts";
import { now } from "../../ui/now.ts";
import { dayText } from "./day.ts";
import type { Line } from "./lines.ts";

export function TimelineLine({ line }: { line: Line }) {
  if (line.kind === "idle") {
    return (
      <li class="timeline-idle muted small">Nothing for {longSpanText(line.toMs - line.fromMs)}</li>
    );
  }
  const { entry, count } = line;
  const timeMs = Date.parse(entry.time);
  const day = dayText(timeMs, now.value, zone.value);
  return (
    <li class="timeline-entry">
      <time class="mono muted" dateTime={entry.time} title={entry.time}>
        {day !== "" && <span class="timeline-day">{day}</span>}
        {clockText(timeMs, zone.value)}
      </time>
      {entry.type === "event" ? <EventText entry={entry} /> : <ChangeText entry={entry} />}
      <span class="timeline-count mono muted small">{repeats(entry, count)}</span>
      <Trace id={entry.cause?.traceId} />
    </li>
  );
}

function repeats({ count = 1 }: TimelineEntry, lines: number): string {
  const times = Math.max(count, lines);
  return times > 1 ? `×${countText(times)}` : "";
}

const verbs: Readonly<Record<string, string>> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  erased: "erased the history of",
};
const icons: Readonly<Record<string, ShapeName>> = {
  created: "plus",
  updated: "change",
  deleted: "deleting",
  erased: "deleting",
};

function ChangeText({ entry }: { entry: TimelineEntry }) {
  const { outcome, cause, revision, namespace } = entry;
  const { actor, impersonator, surface } = cause ?? {};
  const sub = [
    namespace,
    surface,
    impersonator === undefined ? undefined : `by ${impersonator}`,
    `revision ${countText(revision)}`,
  ];
  return (
    <>
      <span class={`timeline-icon ${outcome === "deleted" ? "t-deleting" : "muted"}`}>
        <Icon name={icons[outcome] ?? "change"} />
      </span>
      <div class="timeline-text">
        {actor === undefined ? (
          <span class="timeline-actor">unknown</span>
        ) : (
          <a class="timeline-actor" href={narrowed({ actor })} title={`Only changes by ${actor}`}>
            {actor}
          </a>
        )}{" "}
        <span class="muted">{verbs[outcome] ?? outcome}</span> <About entry={entry} />
        <span class="sub muted">{sub.filter((part) => part).join(" · ")}</span>
      </div>
    </>
  );
}

function EventText({ entry }: { entry: TimelineEntry }) {
  const { outcome, reason = "", message = "", namespace } = entry;
  const isWarning = outcome === "warning";
  return (
    <>
      <span class="timeline-icon">
        {isWarning ? (
          <StateIcon look={{ tone: "failed", word: "Warning" }} isBare />
        ) : (
          <span class="muted">
            <Icon name="event" />
          </span>
        )}
      </span>
      <div class="timeline-text">
        <span class={isWarning ? "strong t-failed" : "strong"}>{reason}</span>{" "}
        <About entry={entry} />
        <span class="sub">
          {message} {namespace !== undefined && <span class="muted">· {namespace}</span>}
        </span>
      </div>
    </>
  );
}

/** Leads to the resource as it was then; an Event to the Events of the resource. */
function About({ entry }: { entry: TimelineEntry }) {
  const { kind, namespace = "", name, type, revision } = entry;
  const served = kindNamed(kind);
  const text = (
    <>
      <span class="muted">{served?.kind ?? kind}/</span>
      <span class="mono">{name}</span>
    </>
  );
  if (served === undefined || name === "*") return text;
  const address = { kind, namespace, name };
  return type === "event" ? (
    <a href={paths.resource(address, "events")}>{text}</a>
  ) : (
    <a
      href={paths.resource(address, "history", { rev: revision })}
      title={`As of revision ${countText(revision)}`}
    >
      {text}
    </a>
  );
}

const shortTrace = 8;

function Trace({ id }: { id: string | undefined }) {
  if (id === undefined) return <span class="timeline-trace" />;
  return (
    <span class="timeline-trace">
      <a class="mono small muted" href={narrowed({ trace: id })} title={`Only trace ${id}`}>
        <span class="visually-hidden">trace </span>
        {id.slice(0, shortTrace)}
      </a>
      <Copy text={id} label="Copy the trace id" />
    </span>
  );
}

function narrowed(changes: Readonly<Record<string, string>>): string {
  return withQuery(place.value.href, changes);
}
