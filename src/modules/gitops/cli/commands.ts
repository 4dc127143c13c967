// The command `setpoint gitops`, as the command line takes it.

import type { CommandGroup } from "../../../contract/command.ts";

export const gitopsCommands: readonly CommandGroup[] = [];
