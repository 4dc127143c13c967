import type { Explanation, Resource } from "../../api/types.ts";
import type { ResourceTab } from "../../paths.ts";
import type { QueryState } from "../../query/query.ts";
import { Skeleton } from "../../ui/notice.tsx";
import type { Viewed } from "./resource-page.tsx";
import { EventsTab } from "./events-tab.tsx";
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
    case "yaml":
    case "related":
      return null;
    default:
      return tab satisfies never;
  }
}
