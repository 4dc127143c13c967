// The embedded store keeps the contract: in threads on a file, as it is used, and on one thread.
import { storeContract } from "../contract/suite.ts";
import { openInline, openOnFile } from "./harness.ts";

storeContract("sqlite", openOnFile, { several: false, sealed: true, bounded: true });
storeContract("sqlite on one thread", openInline, {
  several: false,
  sealed: false,
  bounded: false,
});
