// Changes and Events, newest first. New entries are counted and shown when the user asks for them.

import type { TimelinePage } from "../../api/insight.ts";
import { countText } from "../../format/number.ts";
import { dateText } from "../../format/time.ts";
import { withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { zone } from "../../settings/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import { isFiltered, noFilter } from "./filter.ts";
import type { TimelineFilter } from "./filter.ts";
import { FilterFields } from "./filter-fields.tsx";
import { linesOf } from "./lines.ts";
import { useTimeline } from "./use-timeline.ts";
import { TimelineLine } from "./timeline-line.tsx";
import "../../components/rows-panel.css";

interface TimelineProps {
  readonly filter: TimelineFilter;
  readonly namespace: string;
}

export function TimelinePanel({ filter, namespace }: TimelineProps) {
  const timeline = useTimeline(filter, namespace);
  const { shown, data, error, news, query } = timeline;
  return (
    <section class="panel" aria-label="Timeline">
      <FilterFields filter={filter} entries={shown?.items ?? []} />
      {error !== undefined && <ErrorPanel error={error} onRetry={timeline.refetch} />}
      {shown === undefined && error === undefined && <Skeleton lines={10} />}
      <News count={news} isMore={timeline.isMore} onShow={timeline.showNews} />
      {shown !== undefined && shown.items.length > 0 && (
        <ol class="timeline">
          {linesOf(shown.items).map((line) => (
            <TimelineLine
              key={line.kind === "entry" ? line.entry.revision : `idle ${line.fromMs}`}
              line={line}
            />
          ))}
        </ol>
      )}
      {shown !== undefined && shown.items.length === 0 && shown.next === undefined && (
        <NoEntries filter={filter} from={query["from"]} />
      )}
      {shown !== undefined && (
        <footer class="panel-body row">
          {shown.next === undefined ? (
            <span class="muted small">{endText(data)}</span>
          ) : (
            <Button onClick={timeline.loadMore}>Older entries</Button>
          )}
        </footer>
      )}
    </section>
  );
}

interface NewsProps {
  readonly count: number;
  readonly isMore: boolean;
  readonly onShow: () => void;
}

function News({ count, isMore, onShow }: NewsProps) {
  if (count === 0) return null;
  return (
    <button type="button" class="news" onClick={onShow}>
      {countText(count)}
      {isMore ? " or more" : ""} new {count === 1 ? "entry" : "entries"} ·{" "}
      <span class="link">Show</span>
    </button>
  );
}

function endText(data: TimelinePage | undefined): string {
  if (data === undefined || data.compactedTo === 0) return "This is the beginning.";
  return "Older entries are no longer kept.";
}

interface NoEntriesProps {
  readonly filter: TimelineFilter;
  readonly from: string | number | undefined;
}

function NoEntries({ filter, from }: NoEntriesProps) {
  const since = typeof from === "string" && from !== "" ? textOf(from) : undefined;
  const until = filter.to === "" ? "now" : textOf(filter.to);
  const span = since === undefined ? "" : ` from ${since} to ${until}`;
  if (!isFiltered(filter)) return <Empty>Nothing has happened yet.</Empty>;
  const clear = (): void => navigate(withQuery(place.peek().href, noFilter));
  return (
    <Empty action={<Button onClick={clear}>Clear filter</Button>}>
      No entry{span} matches the filter.
    </Empty>
  );
}

function textOf(time: string): string {
  return dateText(Date.parse(time), zone.value);
}
