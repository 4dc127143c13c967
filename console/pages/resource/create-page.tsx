// A new resource from YAML. The first text has the required fields of the kind.

import { findKind, kindNamed, kinds } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { currentNamespace } from "../../components/namespace-switch.tsx";
import { paths } from "../../paths.ts";
import { useLoaded } from "../../query/use-loaded.ts";
import type { PageProps } from "../../routes.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorPanel, Skeleton } from "../../ui/notice.tsx";

export interface CreateProps {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
}

export function CreatePage({ params, query }: PageProps) {
  const { value, error } = useLoaded(async () => await import("./create-form.tsx"));
  const id = params["kind"] ?? "";
  const kind = kindNamed(id) ?? findKind(id);
  if (kinds.value !== undefined && kind === undefined) {
    return (
      <Empty action={<Button href={paths.explorer()}>Show all kinds</Button>}>
        This server serves no kind {id}.
      </Empty>
    );
  }
  if (error !== undefined) return <ErrorPanel error={error} title="The editor cannot be loaded" />;
  if (kind === undefined || value === undefined) return <Skeleton lines={12} />;
  const namespace = kind.isNamespaced ? currentNamespace() : "";
  return <value.CreateForm kind={kind} namespace={namespace} name={query.get("name") ?? ""} />;
}
