import type { Explanation, Resource } from "../../api/types.ts";
import type { ResourceTab } from "../../paths.ts";
import type { QueryState } from "../../query/query.ts";
import { useLoaded } from "../../query/use-loaded.ts";
import { ErrorPanel, Skeleton } from "../../ui/notice.tsx";
import type { Viewed } from "./resource-page.tsx";
import { EventsTab } from "./events-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { RelatedTab } from "./related-tab.tsx";
import { StatusTab } from "./status-tab.tsx";
import { WhyTab } from "./why-tab.tsx";

export interface TabProps {
  readonly viewed: Viewed;
  readonly document: Resource | undefined;
  readonly why: QueryState<Explanation>;
  readonly query: URLSearchParams;
}

export function TabContent({ tab, ...props }: TabProps & { readonly tab: ResourceTab }) {
  if (props.document === undefined && tab !== "history") return <Skeleton lines={8} />;
  switch (tab) {
    case "why":
      return <WhyTab {...props} />;
    case "status":
      return <StatusTab {...props} />;
    case "events":
      return <EventsTab {...props} />;
    case "history":
      return <HistoryTab {...props} />;
    case "yaml":
      return <LazyYamlTab {...props} />;
    case "related":
      return <RelatedTab {...props} />;
    default:
      return tab satisfies never;
  }
}

/** The editor is the largest part of the console, and few visits need it. */
function LazyYamlTab(props: TabProps) {
  const { value, error } = useLoaded(async () => await import("./yaml-tab.tsx"));
  if (error !== undefined) return <ErrorPanel error={error} title="The editor cannot be loaded" />;
  return value === undefined ? <Skeleton lines={12} /> : <value.YamlTab {...props} />;
}
