"""A participant who does every trial, for tests."""


def record(trial, right=True, rt=0.5):
    """Return what a page sends of a trial."""
    says = "present" if trial["present"] == right else "absent"
    return {"index": trial["index"], "response": says, "rt": rt, "dropped_frames": 1}


class ParticipantPage:
    """A participant's page, as far as the server can tell."""

    def __init__(self, client, parameters=None):
        self.client = client
        body = {"consent": True, "parameters": parameters or {}}
        answer = client.post("/api/v1/lab/sessions", json=body)
        assert answer.status_code == 201, answer.text
        self.begun = answer.json()
        self.name, self.trials = self.begun["session"], self.begun["trials"]
        self.headers = {"authorization": f"Bearer {self.begun['token']}"}

    def post(self, action, body=None, **settings):
        address = f"/api/v1/lab/sessions/{self.name}/{action}"
        return self.client.post(address, json=body, **{"headers": self.headers, **settings})

    def send(self, trials, **settings):
        return self.post("trials", {"trials": [record(trial, **settings) for trial in trials]})

    def all_of_it(self, **settings):
        assert self.send(self.trials, **settings).status_code == 200
        return self.post("finish")
