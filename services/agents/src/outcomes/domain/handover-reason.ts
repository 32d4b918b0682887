import { toolKinds } from '@botyard/contracts/http/tool-kinds';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';

/** The reason among the arguments with which an agent asked for a person. Other arguments are shown as they are. */
export function handoverReasonOf(callArguments: string): string {
  const { success, data } = toolKinds.hand_over.parameters.safeParse(tryParseForeignJson(callArguments));
  return success ? data.reason : callArguments;
}
