/** What a dump consists of. A backup (backup.ts) has one line for each row. */
import type { Cause } from "../kernel/cause.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { Change, CounterBound, CounterUse, UniqueName } from "./port.ts";

/** One row of a dump, in the order meta, change*, name*, use*, bound*, due*; see backup.ts. */
export type DumpRow =
  | {
      readonly row: "meta";
      readonly head: number;
      readonly compacted: number;
      /** At least the highest token given: they go on growing after a restore. */
      readonly lastToken: number;
      /** Where a secondary continues (replication.ts); dumps of older releases do not say. */
      readonly epoch?: number;
      readonly held?: number;
    }
  | {
      readonly row: "change";
      readonly revision: number;
      readonly previous: number | null;
      readonly type: Change["type"];
      readonly key: ResourceKey;
      readonly uid: string;
      readonly atMs: number;
      readonly terms: readonly string[];
      readonly digest: Buffer;
      /** As stored: null for a deletion that shows the previous document; secrets blanked. */
      readonly document: Buffer | null;
      readonly sealed: Buffer | null;
      readonly cause?: Cause;
    }
  | { readonly row: "name"; readonly name: UniqueName; readonly key: ResourceKey }
  | { readonly row: "use"; readonly use: CounterUse; readonly key: ResourceKey }
  | { readonly row: "bound"; readonly bound: CounterBound; readonly key: ResourceKey }
  | {
      readonly row: "due";
      readonly key: ResourceKey;
      /** Relative to the dump, since clocks differ. Claims are not dumped. */
      readonly afterMs: number;
      readonly attempts: number;
    };
