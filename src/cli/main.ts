// The command line. Each command is one file in commands/ that adds itself to the program; this
// file only names them, and turns what they throw into a message and an exit code.
import { Command } from "commander";
import { builtInModules } from "../app/modules.ts";
import { typedError } from "../app/typed-error.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConsole } from "./commands/console.ts";
import { addDiff } from "./commands/diff.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addErase } from "./commands/erase.ts";
import { addHistory } from "./commands/history.ts";
import { addInit } from "./commands/init.ts";
import { addKeys } from "./commands/keys.ts";
import { addKubeconfig } from "./commands/kubeconfig.ts";
import { addOperations } from "./commands/operations.ts";
import { addReconcile } from "./commands/reconcile.ts";
import { addReplication } from "./commands/replication.ts";
import { addRestore } from "./commands/restore.ts";
import { addRollback } from "./commands/rollback.ts";
import { addDev, addServe } from "./commands/serve.ts";
import { addTest } from "./commands/test.ts";
import { addToken } from "./commands/token.ts";
import { addVersion } from "./commands/version.ts";
import { addWhy } from "./commands/why.ts";
import { explain } from "./explain-error.ts";
import { addModuleCommands } from "./module-commands.ts";

const program = new Command("setpoint")
  .description("A control plane: stores desired state and reconciles external systems with it.")
  .showHelpAfterError("(run with --help to see the commands and options)")
  .showSuggestionAfterError();

const addBuiltIn = (to: Command): void => addModuleCommands(to, builtInModules);

const commands = [
  addServe,
  addDev,
  addConsole,
  addKubeconfig,
  addToken,
  addWhy,
  addReconcile,
  addOperations,
  addHistory,
  addDiff,
  addRollback,
  addErase,
  addAudit,
  addBuiltIn,
  addBackup,
  addRestore,
  addReplication,
  addDoctor,
  addKeys,
  addInit,
  addTest,
  addCompletion,
  addVersion,
];
for (const add of commands) add(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(explain(typedError(error)));
  process.exitCode = 1;
}
