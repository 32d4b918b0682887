import type { Provider } from '@botyard/contracts/http/provider';

/**
 * Models that accept pictures, by their providers' names. Other models get none: a model that can't read pictures would
 * reject the whole question. A model that could read them still learns that a picture was sent.
 */
const takePictures: Readonly<Partial<Record<Provider, RegExp>>> = {
  openai:
    /^(?:chatgpt-4o|gpt-4o(?!-(?:audio|transcribe|mini-(?:audio|transcribe)))|gpt-4\.1|gpt-4-turbo|gpt-5|o1(?!-mini|-preview)|o3(?!-mini)|o4)/,
  anthropic: /^claude-(?:3|opus-[4-9]|sonnet-[4-9]|haiku-[4-9])/,
  // The operator's own models: known families, and the model of the sandbox.
  'private-llm': /^sandbox$|llava|vision|[-_]vl\b|pixtral|gemma-?3|llama-?4|minicpm-v|internvl|moondream/i,
};

export const takesPictures = ({ provider, model }: { provider: Provider; model: string }): boolean =>
  takePictures[provider]?.test(model) === true;
