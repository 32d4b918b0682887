import type { Catalogue } from './catalogue.ts';

export const portuguese: Catalogue = {
  greeting: 'Olá! Eu sou {$bot}. Escreva para mim e eu respondo.',
  help: [
    'Escreva com suas próprias palavras e eu respondo.',
    '',
    '/new começa uma nova conversa: esqueço o que foi dito antes.',
    '/stop interrompe a resposta em andamento.',
    '/help mostra este texto.',
  ].join('\n'),
  new_conversation: 'Nova conversa: esqueci o que foi dito antes.',
  goodbye: 'Tudo bem, eu paro. Escreva quando precisar de mim.',
  account_link:
    'Para isso, preciso de acesso à sua conta em {$server}. Abra este link em até dez minutos e não o repasse a ninguém: {$url}',
  account_connected: 'Sua conta em {$server} está conectada. Pergunte-me de novo. /disconnect encerra isso.',
  account_code_wrong: 'Este código não é válido ou já não é. Pergunte-me de novo e eu envio um novo link.',
  accounts_disconnected: 'Já não tenho acesso a nenhuma conta sua.',
  delay: 'Isto está demorando mais do que o normal. Ainda estou trabalhando nisso.',
  handover:
    'Para isto é melhor que uma pessoa ajude você. Já pedi a alguém, que vai escrever para você aqui.',
  timeout: 'Desculpe, minha resposta demorou demais. Por favor, pergunte de novo.',
  unavailable: 'Desculpe, não consigo pensar com clareza agora. Por favor, tente de novo em alguns minutos.',
  busy: 'Desculpe, estou com muito trabalho agora. Por favor, tente de novo em um minuto.',
  key_refused:
    'Desculpe, não posso responder no momento: meus responsáveis precisam verificar minhas configurações.',
  model_refused:
    'Desculpe, não posso responder no momento: meus responsáveis precisam verificar qual modelo eu uso.',
  refused: 'Desculpe, não consegui trabalhar com essa mensagem. Por favor, tente dizer de outra forma.',
  too_long: 'Desculpe, isso é longo demais para mim. Envie uma mensagem mais curta, por favor.',
  request_refused:
    'Desculpe, não posso responder agora, e não é por causa da sua mensagem: as pessoas que me administram precisam verificar minhas configurações.',
  'answer.cut':
    '(Minha resposta foi cortada aqui porque ficou longa demais. Peça para eu continuar se precisar do resto.)',
  'answer.filtered': 'Não posso dizer mais sobre isso: um filtro do meu modelo não permite.',
  no_words: 'Desculpe, não encontrei o que responder. Por favor, tente dizer de outra forma.',
  no_key: 'Desculpe, ainda não posso responder: meus responsáveis ainda precisam me dar acesso a um modelo.',
  no_agent:
    'Desculpe, ainda não há ninguém para responder: meus responsáveis ainda precisam configurar um agente.',
  agent_disabled: 'Desculpe, não estou em serviço no momento: meus responsáveis precisam me ativar de novo.',
  quota_exhausted: 'Desculpe, por enquanto não posso responder mais. Por favor, tente de novo mais tarde.',
  allowance_used_up: 'Desculpe, este mês não posso responder mais. Por favor, avise meus responsáveis.',
  not_granted:
    'Desculpe, ainda não posso conversar com você aqui: meus responsáveis precisam liberar seu acesso primeiro.',
  unsupported: 'Desculpe, por enquanto só sei ler texto. Por favor, escreva com palavras.',
  unsupported_voice: 'Desculpe, ainda não consigo ouvir mensagens de voz. Por favor, escreva com palavras.',
  unsupported_audio: 'Desculpe, ainda não consigo ouvir arquivos de áudio. Por favor, escreva com palavras.',
  unsupported_photo: 'Desculpe, ainda não consigo ver fotos. Por favor, escreva com palavras.',
  unsupported_video: 'Desculpe, ainda não consigo ver vídeos. Por favor, escreva com palavras.',
  unsupported_video_note:
    'Desculpe, ainda não consigo ver mensagens de vídeo. Por favor, escreva com palavras.',
  unsupported_animation: 'Desculpe, ainda não consigo ver animações. Por favor, escreva com palavras.',
  unsupported_sticker: 'Desculpe, ainda não entendo figurinhas. Por favor, escreva com palavras.',
  unsupported_document: 'Desculpe, ainda não consigo abrir arquivos. Por favor, escreva com palavras.',
  unsupported_location: 'Desculpe, ainda não sei ler mapas. Por favor, escreva com palavras.',
  unsupported_contact: 'Desculpe, ainda não consigo ler contatos. Por favor, escreva com palavras.',
  unsupported_poll: 'Desculpe, ainda não consigo participar de enquetes. Por favor, escreva com palavras.',
  unsupported_checklist:
    'Desculpe, ainda não consigo ler listas de tarefas. Por favor, escreva com palavras.',
  unsupported_game: 'Desculpe, ainda não sei jogar. Por favor, escreva com palavras.',
  unsupported_story: 'Desculpe, ainda não consigo ver stories. Por favor, escreva com palavras.',
  file_too_large:
    'Desculpe, esse arquivo é grande demais para mim: posso receber no máximo 20 MB. Por favor, envie um menor.',
  file_unavailable:
    'Desculpe, não consegui receber o que você enviou. Por favor, envie de novo ou escreva para mim com palavras.',
  file_no_room:
    'Desculpe, no momento não tenho espaço para arquivos. Por favor, escreva para mim com palavras.',
  file_expired: 'Desculpe, não tenho mais o que você enviou. Por favor, envie de novo.',
  recording_unclear:
    'Desculpe, não consegui entender essa gravação. Por favor, envie de novo ou escreva para mim com palavras.',
  unsupported_file_type:
    'Desculpe, ainda não consigo ler arquivos deste tipo. Por favor, escreva para mim com palavras.',
  agents_list: 'Você pode falar com um destes começando com /agent e o nome:',
  agents_more: 'e mais {$count}',
  agent_chosen: 'Agora quem responde é {$agent}.',
  approval_waiting:
    'Isso precisa de uma autorização primeiro: {$tools}. Já pedi, e volto a falar com você assim que alguém decidir.',
  approval_rejected: '{$tool} não foi autorizado, por isso não fiz.',
  approval_rejected_note: '{$tool} não foi autorizado ({$note}), por isso não fiz.',
  approval_expired: 'Ninguém decidiu sobre {$tool} a tempo, por isso não fiz. Peça de novo se ainda quiser.',
  approval_refused: '{$tool} foi autorizado, mas nesse meio-tempo deixou de ser permitido. Não fiz.',
  approval_refused_detail:
    '{$tool} foi autorizado, mas nesse meio-tempo deixou de ser permitido: {$detail}. Não fiz.',
  approval_uncertain:
    '{$tool} foi autorizado, mas fui interrompido no meio: não sei dizer se foi feito, e não faço duas vezes. Por favor, verifique antes de pedir de novo.',
  approval_failed: '{$tool} foi autorizado, mas não funcionou.',
  approval_executed: '{$tool} foi autorizado e está feito.',
  rating_question: 'Isto ajudou?',
  rating_yes: '👍 Sim',
  rating_no: '👎 Não',
  menu_start: 'Começar',
  menu_help: 'O que eu sei fazer',
  menu_new: 'Começar uma nova conversa',
  menu_stop: 'Parar de responder',
  mail_subject: 'Confirme seu e-mail para {$mailbox}',
  mail_hello: 'Olá,',
  mail_came:
    'chegou a {$mailbox} um e-mail que indica você como remetente. Lá só se responde a quem confirmou seu endereço, por isso o seu está esperando.',
  mail_allow:
    'Se foi você que escreveu, abra esta página e confirme. Ele será respondido na hora, e você não será perguntado de novo:',
  mail_alone: 'O link é só para você e vale por 24 horas. Por favor, não o encaminhe.',
  mail_not_you: 'Se você não escreveu, não precisa fazer nada: sem você, nada acontece.',
  mail_button: 'Confirmar meu endereço',
  chat_mail_subject: 'Sua conversa com {$mailbox}',
  chat_mail_came:
    'alguém informou este endereço em um chat para receber por e-mail as respostas de {$mailbox}.',
  chat_mail_allow:
    'Se foi você, abra esta página e confirme. As respostas que você não vir no chat chegarão aqui, e você poderá responder a elas:',
  invite_subject: 'Você recebeu um convite de {$tenant}',
  invite_came: 'você recebeu um convite para trabalhar com {$tenant} no Botyard.',
  invite_accept: 'Para aceitar, abra esta página e entre com este endereço de e-mail:',
  invite_end: 'O convite vale por 14 dias. Se você não o esperava, não precisa fazer nada.',
};
