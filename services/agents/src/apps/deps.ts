import type { Deps as ConversationsDeps } from '../conversations/deps.ts';
import type { Deps as DefinitionsDeps } from '../definitions/deps.ts';
import type { Deps as ToolsDeps } from '../tools/deps.ts';

export interface Deps extends ConversationsDeps, DefinitionsDeps, ToolsDeps {}
