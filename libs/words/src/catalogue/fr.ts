import type { Catalogue } from './catalogue.ts';

export const french: Catalogue = {
  greeting: 'Bonjour ! Je suis {$bot}. Écrivez-moi et je vous répondrai.',
  help: [
    'Écrivez-moi avec vos propres mots et je vous répondrai.',
    '',
    "/new commence une nouvelle conversation : j'oublie ce qui a été dit avant.",
    '/stop interrompt la réponse en cours.',
    '/help affiche ce texte.',
  ].join('\n'),
  new_conversation: "Nouvelle conversation : j'ai oublié ce qui a été dit avant.",
  goodbye: "D'accord, je m'arrête. Écrivez-moi dès que vous avez besoin de moi.",
  account_link:
    "Pour cela, j'ai besoin d'accéder à votre compte chez {$server}. Ouvrez ce lien dans les dix minutes et ne le transmettez à personne : {$url}",
  account_connected:
    'Votre compte chez {$server} est connecté. Posez-moi de nouveau votre question. /disconnect y met fin.',
  account_code_wrong:
    "Ce code n'est pas ou n'est plus valable. Posez-moi de nouveau votre question et je vous enverrai un nouveau lien.",
  accounts_disconnected: "Je n'ai plus accès à aucun de vos comptes.",
  delay: "Cela prend plus de temps que d'habitude. J'y travaille encore.",
  handover:
    "Pour cela, il vaut mieux que quelqu'un de notre équipe vous aide. Je l'ai demandé : on vous écrira ici.",
  timeout: 'Désolé, ma réponse a pris trop de temps. Posez-moi la question à nouveau.',
  unavailable:
    "Désolé, je n'arrive pas à réfléchir pour le moment. Veuillez réessayer dans quelques minutes.",
  busy: 'Désolé, je suis très sollicité en ce moment. Veuillez réessayer dans une minute.',
  key_refused:
    'Désolé, je ne peux pas répondre pour le moment : mes responsables doivent vérifier mes réglages.',
  model_refused:
    "Désolé, je ne peux pas répondre pour le moment : mes responsables doivent vérifier quel modèle j'utilise.",
  refused: "Désolé, je n'ai pas pu traiter ce message. Essayez de le formuler autrement.",
  too_long: "Désolé, c'est trop long pour moi. Envoyez-moi un message plus court, s'il vous plaît.",
  request_refused:
    "Désolé, je ne peux pas répondre pour le moment, et votre message n'y est pour rien : les personnes qui me gèrent doivent vérifier mes réglages.",
  'answer.cut':
    '(Ma réponse a été coupée ici, car elle devenait trop longue. Demandez-moi de continuer si vous avez besoin de la suite.)',
  'answer.filtered': 'Je ne peux pas en dire plus : un filtre de mon modèle ne le permet pas.',
  no_words: "Désolé, je n'ai rien trouvé à répondre. Essayez de le formuler autrement.",
  no_key:
    "Désolé, je ne peux pas encore répondre : mes responsables doivent d'abord me donner accès à un modèle.",
  no_agent:
    "Désolé, il n'y a encore personne pour répondre : mes responsables doivent d'abord configurer un agent.",
  agent_disabled: 'Désolé, je suis désactivé pour le moment : mes responsables doivent me réactiver.',
  quota_exhausted: "Désolé, j'ai atteint ma limite de réponses pour l'instant. Veuillez réessayer plus tard.",
  allowance_used_up:
    "Désolé, j'ai atteint ma limite de réponses pour ce mois-ci. Merci de prévenir mes responsables.",
  not_granted:
    "Désolé, je ne peux pas encore vous parler ici : mes responsables doivent d'abord vous y autoriser.",
  unsupported: "Désolé, pour l'instant je ne sais lire que du texte. Écrivez-moi avec des mots.",
  unsupported_voice: 'Désolé, je ne peux pas encore écouter les messages vocaux. Écrivez-moi avec des mots.',
  unsupported_audio: 'Désolé, je ne peux pas encore écouter les fichiers audio. Écrivez-moi avec des mots.',
  unsupported_photo: 'Désolé, je ne peux pas encore regarder les photos. Écrivez-moi avec des mots.',
  unsupported_video: 'Désolé, je ne peux pas encore regarder les vidéos. Écrivez-moi avec des mots.',
  unsupported_video_note:
    'Désolé, je ne peux pas encore regarder les messages vidéo. Écrivez-moi avec des mots.',
  unsupported_animation: 'Désolé, je ne peux pas encore regarder les animations. Écrivez-moi avec des mots.',
  unsupported_sticker: 'Désolé, je ne comprends pas encore les stickers. Écrivez-moi avec des mots.',
  unsupported_document: 'Désolé, je ne peux pas encore ouvrir les fichiers. Écrivez-moi avec des mots.',
  unsupported_location: 'Désolé, je ne sais pas encore lire les cartes. Écrivez-moi avec des mots.',
  unsupported_contact: 'Désolé, je ne peux pas encore lire les contacts. Écrivez-moi avec des mots.',
  unsupported_poll: 'Désolé, je ne peux pas encore participer aux sondages. Écrivez-moi avec des mots.',
  unsupported_checklist:
    'Désolé, je ne peux pas encore lire les listes de tâches. Écrivez-moi avec des mots.',
  unsupported_game: 'Désolé, je ne sais pas encore jouer. Écrivez-moi avec des mots.',
  unsupported_story: 'Désolé, je ne peux pas encore regarder les stories. Écrivez-moi avec des mots.',
  file_too_large:
    'Désolé, ce fichier est trop volumineux pour moi : je peux prendre 20 Mo au maximum. Envoyez-m’en un plus petit, s’il vous plaît.',
  file_unavailable:
    'Désolé, je n’ai pas pu récupérer votre envoi. Renvoyez-le ou écrivez-moi avec des mots, s’il vous plaît.',
  file_no_room:
    'Désolé, je n’ai plus de place pour des fichiers en ce moment. Écrivez-moi avec des mots, s’il vous plaît.',
  file_expired: 'Désolé, je n’ai plus votre envoi. Renvoyez-le, s’il vous plaît.',
  recording_unclear:
    'Désolé, je n’ai pas compris cet enregistrement. Renvoyez-le ou écrivez-moi avec des mots, s’il vous plaît.',
  unsupported_file_type:
    'Désolé, je ne sais pas encore lire les fichiers de ce type. Écrivez-moi avec des mots, s’il vous plaît.',
  agents_list: "Vous pouvez vous adresser à l'un de ceux-ci en commençant par /agent suivi du nom :",
  agents_more: '.input {$count :integer} .match $count one {{et {$count} autre}} * {{et {$count} autres}}',
  agent_chosen: "C'est maintenant {$agent} qui vous répond.",
  approval_waiting:
    "Il faut d'abord une autorisation : {$tools}. Je l'ai demandée et je reviens vers vous dès que quelqu'un aura décidé.",
  approval_rejected: "{$tool} n'a pas été autorisé : je ne l'ai donc pas fait.",
  approval_rejected_note: "{$tool} n'a pas été autorisé ({$note}) : je ne l'ai donc pas fait.",
  approval_expired:
    "Personne ne s'est prononcé à temps sur {$tool} : je ne l'ai donc pas fait. Redemandez-le-moi si vous le souhaitez toujours.",
  approval_refused: "{$tool} a été autorisé, mais ne l'est plus entre-temps. Je ne l'ai pas fait.",
  approval_refused_detail:
    "{$tool} a été autorisé, mais ne l'est plus entre-temps : {$detail}. Je ne l'ai pas fait.",
  approval_uncertain:
    "{$tool} a été autorisé, mais j'ai été interrompu en cours de route : je ne sais pas si c'est fait, et je ne le fais pas deux fois. Veuillez vérifier avant de le redemander.",
  approval_failed: "{$tool} a été autorisé, mais cela n'a pas fonctionné.",
  approval_executed: "{$tool} a été autorisé, et c'est fait.",
  rating_question: 'Cela vous a-t-il aidé ?',
  rating_yes: '👍 Oui',
  rating_no: '👎 Non',
  menu_start: 'Commencer',
  menu_help: 'Ce que je sais faire',
  menu_new: 'Commencer une nouvelle conversation',
  menu_stop: 'Arrêter de répondre',
  mail_subject: 'Veuillez confirmer votre e-mail à {$mailbox}',
  mail_hello: 'Bonjour,',
  mail_came:
    "un e-mail qui vous indique comme expéditeur est arrivé à {$mailbox}. On n'y répond qu'aux personnes qui ont confirmé leur adresse : le vôtre est donc en attente.",
  mail_allow:
    "S'il vient de vous, ouvrez cette page et confirmez-le. On y répondra aussitôt, et la question ne vous sera plus posée :",
  mail_alone: 'Ce lien vous est réservé et reste valable 24 heures. Merci de ne pas le transférer.',
  mail_not_you: "Si vous n'avez rien écrit, il n'y a rien à faire : sans vous, rien ne se passe.",
  mail_button: 'Confirmer mon adresse',
  chat_mail_subject: 'Votre conversation avec {$mailbox}',
  chat_mail_came:
    "quelqu'un a indiqué cette adresse dans un chat pour recevoir par e-mail les réponses de {$mailbox}.",
  chat_mail_allow:
    "Si c'était vous, ouvrez cette page et confirmez-le. Les réponses que vous manquez dans le chat arriveront alors ici, et vous pourrez y répondre :",
  invite_subject: 'Vous êtes invité à rejoindre {$tenant}',
  invite_came: 'vous êtes invité à travailler avec {$tenant} sur Botyard.',
  invite_accept: 'Pour accepter, ouvrez cette page et connectez-vous avec cette adresse e-mail :',
  invite_end: "L'invitation est valable 14 jours. Si vous ne l'attendiez pas, il n'y a rien à faire.",
};
